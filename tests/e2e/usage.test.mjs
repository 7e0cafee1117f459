// GET /v1/usage for people: their own profile by default, another's only when they were let in.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";

import { signIn, startStack } from "../support.mjs";

let stack, user;
before(async () => {
  stack = await startStack("usage");
  user = await signIn(stack);
});
after(() => stack?.destroy());

test("a person sees the meters of their own plan, under both addresses", async () => {
  const { status, json, text } = await user.call("GET", "usage");
  assert.equal(status, 200, text);
  assert.equal(json.is_blocked, false);
  assert.ok(Object.keys(json.meters).length > 0);
  assert.ok(Object.values(json.meters).every((meter) => meter.used === 0 && !meter.is_over));
  assert.equal((await user.call("GET", "usage/v1/usage")).json.profile_id, json.profile_id);
  assert.deepEqual((await user.call("GET", `usage?profile_id=${json.profile_id}`)).json, json);
});

test("what was used is shown", async () => {
  const { json: { profile_id: profile } } = await user.call("GET", "usage");
  await stack.postgres.query("select public.track_shell_file_upload_usage($1, $2, 1000, 3)", [profile, randomUUID()]);
  const { json } = await user.call("GET", "usage");
  assert.ok(Object.values(json.meters).some((meter) => meter.used > 0), JSON.stringify(json.meters));
});

test("another's profile looks like one that does not exist", async () => {
  const { json: { profile_id: profile } } = await user.call("GET", "usage");
  const stranger = await signIn(stack);
  const foreign = await stranger.call("GET", `usage?profile_id=${profile}`);
  const absent = await stranger.call("GET", `usage?profile_id=${randomUUID()}`);
  assert.ok([403, 404].includes(foreign.status), foreign.text);
  assert.deepEqual({ ...foreign.json, correlation_id: "" }, { ...absent.json, correlation_id: "" });
  assert.equal((await user.call("GET", "usage", { headers: { authorization: "" } })).status, 401);
});
