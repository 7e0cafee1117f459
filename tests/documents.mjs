// What tests of documents share: a user who uploads, and what is left in the store.
import { randomUUID } from "node:crypto";

import { signIn, until } from "./support.mjs";

const ENDED = ["completed", "failed", "refused", "infected"];

/** A signed-in user with the calls of the upload function. */
export async function uploader(stack, sub = randomUUID()) {
  const user = await signIn(stack, sub);
  const api = (method, rest, init) => user.call(method, `upload/v1/documents${rest}`, init);
  return {
    ...user,
    upload: (body, { query = "", headers } = {}) => api("POST", query, { body: new Uint8Array(body), headers }),
    document: async (id) => (await api("GET", `/${id}`)).json,
    list: async () => (await api("GET", "")).json,
    erase: (id) => api("DELETE", `/${id}`),
    api,
    ended: (id, patience = 180_000) => until(async () => {
      const { json } = await api("GET", `/${id}`);
      return ENDED.includes(json.status) && json;
    }, `document ${id} ending`, patience),
  };
}

/** Every key in the store. */
export async function objects(stack) {
  const answer = await fetch(`${stack.url}/storage/v1/object/list-v2/gristmill`, {
    method: "POST", headers: { authorization: `Bearer ${stack.serviceKey}`, "content-type": "application/json" }, body: '{"limit": 1000}' });
  return (await answer.json()).objects.map(({ name }) => name);
}

/** Objects and rows, where they do not match. */
export async function mismatches(stack) {
  const stored = new Set(await objects(stack));
  const { rows } = await stack.postgres.query("select storage_path from public.shell_files where storage_path is not null");
  const named = new Set(rows.map((row) => row.storage_path));
  return { orphans: [...stored].filter((key) => !named.has(key)), missing: [...named].filter((key) => !stored.has(key)) };
}

/** Runs a sweep now, over everything, and waits for it. */
export async function sweep(stack) {
  await stack.postgres.query("update public.system_configuration set config_value = '0' where config_key = 'documents.upload_grace_seconds'");
  const { rows } = await stack.postgres.query(
    `select id from mill.enqueue('[{"kind": "document_sweep", "payload": {"listing": true, "any_age": true}}]')`);
  const job = await until(async () => (await stack.postgres.query(
    "select state, result, error from mill.job where id = $1 and state in ('completed', 'failed')", [rows[0].id])).rows[0], "the sweep");
  if (job.state !== "completed") throw new Error(`the sweep failed: ${JSON.stringify(job.error)}`);
  return job.result;
}
