// Idempotency-Key: a request that is sent again creates nothing and gets the first answer, over HTTP, as a user and as the service.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import http from "node:http";
import { after, before, test } from "node:test";

import { readFunctions } from "../../sdk/local/stack/wrangler.mjs";
import { signIn, startStack, until } from "../support.mjs";

let stack, user, other, service;
before(async () => {
  stack = await startStack("idempotency", { parts: ["gateway", "relay", "workerd", "storage"], env: { functions: { CORS_ORIGINS: "https://app.test" } } });
  [user, other] = [await signIn(stack), await signIn(stack)];
  service = { call: (method, path, { headers, ...init } = {}) => user.call(method, path, { ...init, headers: { ...headers, authorization: `Bearer ${stack.serviceKey}` } }) };
});
after(() => stack?.destroy());

const query = async (text, values) => (await stack.postgres.query(text, values)).rows;
const enqueue = (caller, key, payload = { a: 1 }, more = {}) =>
  caller.call("POST", "enqueue", { body: { kind: "echo", payload, ...more }, headers: key === undefined ? {} : { "idempotency-key": key } });
const jobsOf = async (mark) => (await query("select count(*)::int as n from mill.job where payload ->> 'mark' = $1", [mark]))[0].n;
const isReplay = ({ headers }) => headers.get("idempotent-replayed") === "true";

for (const [who, caller] of [["a signed-in user", () => user], ["the service", () => service]]) {
  test(`the same key from 50 callers at once, as ${who}, is one job, and all 50 get its id`, async () => {
    const [key, mark] = [randomUUID(), randomUUID()];
    const answers = await Promise.all(Array.from({ length: 50 }, () => enqueue(caller(), key, { mark })));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202], answers.find(({ status }) => status !== 202)?.text);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1, "all get the same body");
    assert.equal(answers.filter((answer) => !isReplay(answer)).length, 1, "one of them is no replay");
    assert.equal(await jobsOf(mark), 1);
  });
}

test("a retry after the job has been completed gets the first answer, and no second job", async () => {
  const [key, mark] = [randomUUID(), randomUUID()];
  const first = await enqueue(user, key, { mark });
  assert.equal((await user.settled(first.json.id)).state, "completed");
  const again = await enqueue(user, key, { mark });
  assert.deepEqual([again.status, again.text, isReplay(again), isReplay(first)], [202, first.text, true, false]);
  assert.equal(await jobsOf(mark), 1);
});

test("the same key with another body, or for another route, is 422 and creates nothing", async () => {
  const [key, mark] = [randomUUID(), randomUUID()];
  await enqueue(user, key, { a: 1 });
  const document_id = await write("another route");
  for (const refused of [await enqueue(user, key, { mark }), await enqueue(user, key, { a: 1 }, { name: mark }),
    await user.call("POST", "export/v1/exports", { body: { document_id }, headers: { "idempotency-key": key } })]) {
    assert.deepEqual([refused.status, refused.json.code, refused.json.field], [422, "other_body", "idempotency-key"]);
  }
  assert.equal(await jobsOf(mark), 0);
  assert.equal(await count("select count(*) as n from mill.export where document_id = $1", [document_id]), 0);
});

test("another user's same key is another key, and shows nothing", async () => {
  const [key, mark] = [randomUUID(), randomUUID()];
  const first = await enqueue(user, key, { mark });
  const theirs = await enqueue(other, key, { theirs: mark });
  assert.deepEqual([theirs.status, isReplay(theirs)], [202, false]);
  assert.notEqual(theirs.json.id, first.json.id);
  const services = await enqueue(service, key, { services: mark });
  assert.deepEqual([services.status, isReplay(services)], [202, false]);
  assert.equal(new Set([first, theirs, services].map(({ json }) => json.id)).size, 3);
  // Each has the key for itself: sent again, each gets its own job.
  for (const [caller, payload, before] of [[user, { mark }, first], [other, { theirs: mark }, theirs], [service, { services: mark }, services]]) {
    const again = await enqueue(caller, key, payload);
    assert.deepEqual([again.status, again.json.id, isReplay(again)], [202, before.json.id, true]);
  }
});

test("a caller who hangs up before the answer and tries again has one job", async () => {
  for (let round = 0; round < 5; round++) {
    const [key, mark] = [randomUUID(), randomUUID()];
    const body = JSON.stringify({ kind: "echo", payload: { mark } });
    await new Promise((done) => {
      const request = http.request(`${stack.url}/functions/v1/enqueue`, { method: "POST", headers: {
        authorization: `Bearer ${user.token}`, "idempotency-key": key, "content-length": Buffer.byteLength(body) } }, (answer) => answer.destroy());
      request.on("error", done).on("close", done);
      // Each round lets the request go a little further before its caller is gone.
      request.end(body, () => setTimeout(() => request.destroy(), round * 3));
    });
    const again = await user.call("POST", "enqueue", { body, headers: { "idempotency-key": key } });
    assert.equal(again.status, 202, again.text);
    assert.equal((await user.settled(again.json.id)).state, "completed");
    assert.equal(await jobsOf(mark), 1, `round ${round}`);
  }
});

test("a key that is empty, too long or not printable is 400 and names the header", async () => {
  const raw = (value) => new Promise((resolve, reject) => {
    const body = JSON.stringify({ kind: "echo", payload: { a: 1 } });
    const request = http.request(`${stack.url}/functions/v1/enqueue`, { method: "POST", insecureHTTPParser: true, headers: {
      authorization: `Bearer ${user.token}`, "content-length": Buffer.byteLength(body), "idempotency-key": value } }, async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString();
      resolve({ status: answer.statusCode, json: JSON.parse(text) });
    });
    request.on("error", reject).end(body);
  });
  for (const key of ["", '""', '"open', "x".repeat(256), "a\tb", "caf\u00e9"]) {
    const refused = await raw(key);
    assert.deepEqual([refused.status, refused.json.code, refused.json.field], [400, "invalid_field", "idempotency-key"], JSON.stringify(key));
  }
  for (const key of ["x".repeat(255), `order ${randomUUID()}`]) assert.equal((await raw(key)).status, 202);
});

test("a key in quotes, as the IETF draft has it, is the same key as without them", async () => {
  const key = randomUUID();
  const first = await enqueue(user, key);
  const again = await enqueue(user, `"${key}"`);
  assert.deepEqual([again.text, isReplay(again)], [first.text, true]);
});

test("a request that was refused is not remembered: its retry is tried anew", async () => {
  const [key, mark] = [randomUUID(), randomUUID()];
  const bad = await enqueue(user, key, { mark }, { kind: "nonsense" });
  assert.equal(bad.status, 422);
  await query("select public.set_maintenance(true, 'test', 7)");
  try {
    const stopped = await enqueue(user, key, { mark });
    assert.deepEqual([stopped.status, stopped.json.code, stopped.headers.get("retry-after")], [503, "maintenance", "7"]);
  } finally {
    await query("select public.set_maintenance(false)");
  }
  await query("insert into mill.queue (queue, served_by, depth_limit) values ('narrow', 'worker', 1)");
  await query("insert into mill.kind (kind, queue, open_to_users) values ('narrow', 'narrow', true)");
  assert.equal((await user.submit({ kind: "narrow", payload: { a: 1 } })).status, 202);
  const full = await enqueue(user, key, { mark }, { kind: "narrow" });
  assert.deepEqual([full.status, full.json.code], [429, "queue_full"]);
  await query("update mill.queue set depth_limit = null where queue = 'narrow'");
  const taken = await enqueue(user, key, { mark }, { kind: "narrow" });
  assert.deepEqual([taken.status, isReplay(taken)], [202, false], taken.text);
  // What was accepted in the end is remembered.
  const again = await enqueue(user, key, { mark }, { kind: "narrow" });
  assert.deepEqual([again.status, again.json.id, isReplay(again)], [202, taken.json.id, true]);
  assert.equal(await jobsOf(mark), 1);
});

test("a user with as many keys as allowed gets 429 with Retry-After, and creates without a key as before", async () => {
  await query("update mill.settings set value = '2' where key = 'idempotency.max_keys_per_user'");
  try {
    const many = await signIn(stack);
    for (const key of ["a", "b"]) assert.equal((await enqueue(many, key)).status, 202);
    const refused = await enqueue(many, "c");
    assert.deepEqual([refused.status, refused.json.code, refused.json.limit], [429, "too_many_keys", 2]);
    assert.ok(Number(refused.headers.get("retry-after")) > 86_000);
    assert.ok(isReplay(await enqueue(many, "a")));
    assert.equal((await enqueue(many)).status, 202);
  } finally {
    await query("update mill.settings set value = '5000' where key = 'idempotency.max_keys_per_user'");
  }
});

test("without a key nothing is kept, and a key costs one row", async () => {
  const keys = async () => (await query("select count(*)::int as n from mill.idempotency_key"))[0].n;
  const before = await keys();
  await enqueue(user);
  assert.equal(await keys(), before);
  await enqueue(user, randomUUID());
  assert.equal(await keys(), before + 1);
});

// Each route that creates something, and how often it did.
const write = async (title) => (await query("insert into public.documents (owner, title, data) values ($1, $2, $3) returning id",
  [user.sub, title, JSON.stringify({ name: "Ada" })]))[0].id;
const count = async (text, values) => Number((await query(text, values))[0].n);
// A pending export comes back by itself, with or without a key; one that has ended would be made again.
const cancelled = (document) => query("select mill.cancel(array(select id from mill.export where document_id = $1))", [document]);
const ROUTES = {
  "POST enqueue /": async () => {
    const mark = randomUUID();
    return { path: "enqueue", body: { kind: "echo", payload: { mark } }, created: () => jobsOf(mark) };
  },
  "POST export /v1/exports": async () => {
    const document_id = await write("one");
    return { path: "export/v1/exports", body: { document_id }, created: () => count("select count(*) as n from mill.export where document_id = $1", [document_id]), later: () => cancelled(document_id) };
  },
  "POST export /v1/exports/batch": async () => {
    const document_ids = [await write("a"), await write("b")];
    return { path: "export/v1/exports/batch", body: { document_ids }, created: () => count("select count(distinct i.batch_id) as n from mill.export_batch_item i join mill.export e on e.id = i.export_id where e.document_id = $1", [document_ids[0]]) };
  },
  "POST export /api/v1/export/pdf": async () => {
    const documentId = await write("old");
    return { path: "export/api/v1/export/pdf", body: { documentId }, created: () => count("select count(*) as n from mill.export where document_id = $1", [documentId]), later: () => cancelled(documentId) };
  },
  "POST export /api/v1/export/batch": async () => {
    const documentIds = [await write("c"), await write("d")];
    return { path: "export/api/v1/export/batch", body: { documentIds }, created: () => count("select count(distinct i.batch_id) as n from mill.export_batch_item i join mill.export e on e.id = i.export_id where e.document_id = $1", [documentIds[0]]) };
  },
  "POST workflows /v1/jobs/{id}/retry": async () => {
    await query("insert into public.workflow_definition (type, tasks) values ('fails', $1)", [JSON.stringify([{ key: "a", kind: "echo", input: { delay_ms: "soon" } }])]);
    const { json: { id } } = await user.call("POST", "workflows/v1/jobs", { body: { type: "fails" } });
    const failed = () => until(async () => (await query("select from mill.workflow where id = $1 and status = 'failed'", [id])).length, "the workflow failing");
    await failed();
    return { path: `workflows/v1/jobs/${id}/retry`, later: failed, // then a second retry would find something to resume
      created: () => count("select count(*) as n from mill.audit_log where action = 'retry' and job_id in (select id from mill.task where job_id = $1)", [id]) };
  },
  "POST documents /v1/documents/{id}/reprocess": async () => {
    const { id: profile } = (await query("insert into public.user_profiles (user_id) values ($1) returning id", [user.sub]))[0];
    const { id } = (await query(`insert into public.shell_files (id, patient_id, uploaded_by, filename, mime_type, status, storage_path, created_at, updated_at)
      values (gen_random_uuid(), $1, $2, 'a.txt', 'text/plain', 'completed', 'a/b/c.txt', now(), now()) returning id`, [profile, user.sub]))[0];
    // Once the new run has ended too, a second call would start a third.
    return { path: `documents/v1/documents/${id}/reprocess`, later: () => query("update public.shell_files set status = 'completed' where id = $1", [id]), created: () => count("select run - 1 as n from public.shell_files where id = $1", [id]) };
  },
  "POST audit /": async () => {
    const record_id = randomUUID();
    return { caller: service, path: "audit", body: { table_name: "visits", record_id, action: "update" },
      created: () => count("select count(*) as n from mill.audit_log where record_id = $1", [record_id]) };
  },
};
// These keep their key with what they create: see the tests at the end.
const KEEP_THEIR_OWN = ["POST documents /v1/documents", "POST workflows /v1/jobs", "POST workflows /api/jobs/start"];
// Signed by Postgres, where an invocation's id is good for one claim; or written under a link to one object; or for a ticket, of which nothing is kept;
// or for cleaning, which the second time finds nothing; or for a review, which ends the same way twice.
const NEED_NONE = ["POST processor /", "POST cleanup /", "POST documents /objects", "POST export /v1/exports/{id}/events/ticket", "POST export /v1/exports/batch/{id}/events/ticket",
  "POST export /api/v1/export/job/{id}/stream/ticket", "POST documents /v1/documents/{id}/events/ticket", "POST workflows /v1/jobs/{id}/events/ticket", "POST refresh /v1/changes/ticket",
  "POST export /api/v1/export/cleanup", "POST documents /v1/documents/{id}/review"];

test("every POST of every function documents Idempotency-Key, or is known to need none", async () => {
  const found = { keyed: [], plain: [] };
  const builds = readFunctions().functions.filter(({ name, folder }) => folder.endsWith(`/${name}`)); // not those under an older name
  for (const { name } of builds) {
    const api = await (await fetch(`${stack.url}/functions/v1/${name}/openapi.json`)).json();
    for (const [at, { post }] of Object.entries(api.paths)) {
      if (!post) continue;
      const isKeyed = post.parameters?.some((parameter) => parameter.in === "header" && parameter.name === "idempotency-key");
      found[isKeyed ? "keyed" : "plain"].push(`POST ${name} ${at}`);
      if (!isKeyed) continue;
      assert.ok(post.responses[422], `${name} ${at} documents 422`);
      assert.ok(Object.entries(post.responses).some(([status, { headers }]) => status < 300 && headers?.["idempotent-replayed"]), `${name} ${at} documents the replay`);
    }
  }
  assert.deepEqual(found.keyed.sort(), [...Object.keys(ROUTES), ...KEEP_THEIR_OWN].sort());
  assert.deepEqual(found.plain.sort(), NEED_NONE.sort());
});

for (const [route, prepare] of Object.entries(ROUTES)) {
  test(`${route} under a key creates once, answers the same again, and refuses another body`, async () => {
    const { caller = user, path, body, created, later } = await prepare();
    const headers = { "idempotency-key": randomUUID() };
    const first = await caller.call("POST", path, { body, headers });
    assert.ok(first.status < 300, first.text);
    assert.equal(isReplay(first), false);
    await later?.();
    const again = await caller.call("POST", path, { body, headers });
    assert.deepEqual([again.status, again.text, isReplay(again)], [first.status, first.text, true]);
    assert.equal(await created(), 1);
    const changed = await caller.call("POST", path, { body: body ? `${JSON.stringify(body)} ` : "{}", headers });
    assert.deepEqual([changed.status, changed.json.code], [422, "other_body"], changed.text);
    assert.equal(await created(), 1);
  });
}

test("an RPC is called once under a key by call_once, also a batch", async () => {
  const call = async (key, payloads) => {
    const answer = await fetch(`${stack.url}/rest/v1/rpc/call_once`, { method: "POST",
      headers: { authorization: `Bearer ${stack.serviceKey}`, "content-type": "application/json" },
      body: JSON.stringify({ p_key: key, p_function: "enqueue_many", p_arguments: { p_kind: "echo", p_payloads: payloads } }) });
    return { status: answer.status, json: await answer.json() };
  };
  const [key, mark] = [randomUUID(), randomUUID()];
  const payloads = [{ mark, n: 1 }, { mark, n: 2 }];
  const [first, second] = await Promise.all([call(key, payloads), call(key, payloads)]);
  assert.deepEqual(first.json.answer, second.json.answer);
  assert.equal([first, second].filter(({ json }) => json.replayed).length, 1);
  assert.equal(await jobsOf(mark), 2);
  assert.equal((await call(key, [{ mark, n: 3 }])).json.code, "GM080");
});

test("a workflow's key answers with the same job and says that it is a replay", async () => {
  const start = (body) => user.call("POST", "workflows/v1/jobs", { body, headers: { "idempotency-key": "x".repeat(255) } });
  const body = { type: "echo", params: { message: "once" } };
  const [first, again] = [await start(body), await start(body)];
  assert.deepEqual([first.json.id, isReplay(first)], [again.json.id, false]);
  assert.equal(isReplay(again), true);
  assert.deepEqual((await start({ ...body, params: { message: "twice" } })).json.code, "other_body");
});

test("an upload's key answers with the same document and says that it is a replay", async () => {
  const upload = (text) => user.call("POST", "documents/v1/documents", { body: Buffer.from(text), headers: { "idempotency-key": "u".repeat(255) } });
  const [first, again] = [await upload("Some plain words"), await upload("Some plain words")];
  assert.deepEqual([first.status, again.status, again.json.id], [202, 202, first.json.id], first.text);
  assert.deepEqual([isReplay(first), isReplay(again)], [false, true]);
  assert.equal((await upload("Other plain words")).json.code, "other_body");
  const refused = await user.call("POST", "documents/v1/documents", { body: Buffer.from("Words"), headers: { "idempotency-key": "u".repeat(256) } });
  assert.deepEqual([refused.status, refused.json.field], [400, "idempotency-key"]);
});

test("a page of another origin may send the key and read that an answer is a replay", async () => {
  const answer = await fetch(`${stack.functionsUrl}/functions/v1/enqueue`, { method: "OPTIONS", headers: {
    origin: "https://app.test", "access-control-request-method": "POST", "access-control-request-headers": "idempotency-key" } });
  assert.match(answer.headers.get("access-control-allow-headers"), /\bidempotency-key\b/);
  assert.match(answer.headers.get("access-control-expose-headers"), /\bidempotent-replayed\b/);
});
