// What tests of documents share: a user who uploads, and what is left in the store.
import { createHmac, randomUUID } from "node:crypto";

import { signIn, until } from "./support.mjs";

const ENDED = ["completed", "needs_review", "failed", "refused", "infected"];

/** A signed-in user with the calls of the upload function. */
export async function uploader(stack, sub = randomUUID()) {
  const user = await signIn(stack, sub);
  const api = (method, rest, init) => user.call(method, `documents/v1/documents${rest}`, init);
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

/** A signed link of the upload function, as the container worker makes them where files lie in R2. */
export function link(stack, right, key, { expires = Math.floor(Date.now() / 1000) + 60 } = {}) {
  const signature = createHmac("sha256", stack.secrets.filesSecret).update(`${right}\n${key}\n${expires}`).digest("base64url");
  const query = new URLSearchParams({ [right === "list" ? "prefix" : "key"]: key, expires, signature });
  return `${stack.url}/functions/v1/documents/objects?${query}`;
}

/** Every key in the store. */
export async function objects(stack) {
  if (stack.storage === "r2") return (await (await fetch(link(stack, "list", ""))).json()).objects.map(({ key }) => key);
  const keys = [];
  for (let cursor = null, hasNext = true; hasNext;) {
    const answer = await fetch(`${stack.url}/storage/v1/object/list-v2/gristmill`, {
      method: "POST", headers: { authorization: `Bearer ${stack.serviceKey}`, "content-type": "application/json" },
      body: JSON.stringify({ limit: 1000, cursor }) });
    const part = await answer.json();
    keys.push(...part.objects.map(({ name }) => name));
    [cursor, hasNext] = [part.nextCursor, part.hasNext];
  }
  return keys;
}

/** Objects and rows, where they do not match. */
export async function mismatches(stack) {
  const stored = new Set(await objects(stack));
  const { rows } = await stack.postgres.query("select storage_path from public.shell_files where storage_path is not null");
  const named = new Set(rows.map((row) => row.storage_path));
  return { orphans: [...stored].filter((key) => !named.has(key)), missing: [...named].filter((key) => !stored.has(key)) };
}

/** Runs a sweep now, over everything, and waits for it; uploads that have stored nothing are forgotten after `forget` seconds. */
export async function sweep(stack, { forget = 0 } = {}) {
  await stack.postgres.query(`update mill.settings set value = case key when 'documents.upload_forget_seconds' then $1 else '0' end
    where key in ('documents.upload_grace_seconds', 'documents.upload_forget_seconds')`, [String(forget)]);
  const { rows } = await stack.postgres.query(
    `select id from mill.enqueue('[{"kind": "document_sweep", "payload": {"listing": true, "any_age": true}}]')`);
  const job = await until(async () => (await stack.postgres.query(
    "select state, result, error from mill.job where id = $1 and state in ('completed', 'failed')", [rows[0].id])).rows[0], "the sweep", 120_000);
  if (job.state !== "completed") throw new Error(`the sweep failed: ${JSON.stringify(job.error)}`);
  return job.result;
}
