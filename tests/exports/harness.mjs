// What the tests of exports share: a stack with storage and a worker, a user with documents, and a reader of events.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { signIn, startStack, until } from "../support.mjs";

const samples = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../render/samples");
export const sample = (name) => JSON.parse(fs.readFileSync(path.join(samples, `${name}.json`), "utf8"));

export const startExports = (name, { runtime = "workerd", parts, ...options } = {}) =>
  startStack(`exports-${name}`, { parts: parts ?? ["gateway", "storage", "work", runtime], ...options });

/** A signed-in user who exports. */
export async function author(stack) {
  const user = await signIn(stack);
  const call = (method, route, init) => user.call(method, `export/${route}`, init);
  const authorization = { authorization: `Bearer ${user.token}` };
  const profile = stack.schemas.exports && { "content-profile": stack.schemas.exports };
  return {
    ...user,
    call,
    open: (route, init = {}) => fetch(`${stack.url}/functions/v1/export/${route}`,
      { ...init, headers: { ...authorization, ...init.headers } }),
    /** As a browser with supabase-js would. */
    async write(title, data = sample("resume")) {
      const answer = await fetch(`${stack.url}/rest/v1/documents`, {
        method: "POST", body: JSON.stringify({ title, data }),
        headers: { ...authorization, ...profile, "content-type": "application/json", prefer: "return=representation" } });
      assert.equal(answer.status, 201, await answer.clone().text());
      return (await answer.json())[0].id;
    },
    async order(document_id, more = {}) {
      const { status, json } = await call("POST", "v1/exports", { body: { document_id, ...more } });
      assert.equal(status, 202, JSON.stringify(json));
      return json;
    },
    ended: (id, patience) => until(async () => {
      const { json } = await call("GET", `v1/exports/${id}`);
      return ["completed", "failed", "cancelled"].includes(json.status) && json;
    }, `export ${id} ending`, patience),
  };
}

/** The events of a stream until it ends, or until `enough` of them. */
export async function readEvents(answer, enough = Infinity) {
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type"), /^text\/event-stream/);
  const events = [];
  let [text, retry] = ["", null];
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { events, retry };
    text += value;
    const blocks = text.split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const field = (name) => block.split("\n").filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2)).join("\n");
      if (field("retry")) retry = Number(field("retry"));
      if (field("event")) events.push({ id: Number(field("id")), event: field("event"), data: JSON.parse(field("data")) });
    }
    if (events.length >= enough) {
      await reader.cancel();
      return { events, retry };
    }
  }
}

/** From now on every poll of one export's events is counted; gives the count. */
export async function countPolls(stack) {
  const sql = (text) => stack.postgres.query(text);
  await sql("create sequence public.polls start 0 minvalue 0");
  const { rows: [{ body }] } = await sql("select pg_get_functiondef('public.export_events'::regproc) as body");
  const counting = body.replace("select mill.export_events_after(e.owner,", "select nextval('public.polls'); select mill.export_events_after(e.owner,");
  assert.notEqual(counting, body);
  await sql(counting);
  return async () => (await sql("select last_value::int + is_called::int as n from public.polls")).rows[0].n;
}

/** The name of an export's file within its bucket: keys of other buckets than ours begin with the bucket's name. */
export const nameInBucket = (key) => key.replace(/^exports:/, "");

/** The keys of every object that the storage stand-in holds; a file there is a key and an @. */
export function objects(stack) {
  const folder = path.join(stack.folder, "storage/objects");
  return fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)).replace(/@$/, ""));
}
