// Functions that are made with the library say which jobs they run: they answer a signed {"describe": true} with their definition.
import { createHmac, randomUUID } from "node:crypto";

const DESCRIBE = JSON.stringify({ describe: true });

/** The request, as Postgres signs: for fetch(), or for new Request(). */
export function describing(secret, id = randomUUID(), at = Math.floor(Date.now() / 1000)) {
  const [first] = secret.trim().split(/\s+/);
  const signature = createHmac("sha256", Buffer.from(first.replace(/^whsec_/, ""), "base64")).update(`${id}.${at}.${DESCRIBE}`).digest("base64");
  return { method: "POST", body: DESCRIBE, headers: { "content-type": "application/json", "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": `v1,${signature}` } };
}

/** What a function says of its jobs, or null: not every function is one of the library. */
export async function definitionIn(answer) {
  const value = answer?.ok ? await answer.json().catch(() => null) : null;
  return Array.isArray(value?.kinds) && value.kinds.length > 0 && value.kinds.every(({ kind, queue }) => kind && queue) ? value : null;
}

/** The definition with the function that serves its queues. */
export function servedBy({ kinds, schedules }, name) {
  return { ...(schedules && { schedules }), kinds, queues: [...new Set(kinds.map(({ queue }) => queue))].map((queue) => ({ queue, served_by: "function", function: name })) };
}

/** Why Postgres refused, in lines. */
export const refusal = (error) => [error.message, error.detail, error.hint].filter(Boolean).join("\n  ");
