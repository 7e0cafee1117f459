// Functions that are made with the library say which jobs they run. `gristmill dev` and `gristmill test` register those, so that a project needs no SQL for them.
import { createHmac, randomUUID } from "node:crypto";

import { namesIn } from "./functions.mjs";
import { Refused } from "./project.mjs";

/**
 * Registers the jobs of every function that describes itself; others are left alone. Gives the names of functions whose jobs are new or changed.
 * @param {string[]} [names]  where not all are meant
 */
export async function registerJobs(stack, project, names = namesIn(project)) {
  const changed = [];
  for (const name of names) {
    const definition = await describe(`${stack.functionsUrl}/functions/v1/${name}`, stack.secrets.invokeSecret);
    if (!definition) continue;
    try {
      const { rows: [{ answer }] } = await stack.postgres.query("select public.register_jobs($1) as answer", [JSON.stringify(servedBy(definition, name))]);
      if ([...answer.queues, ...answer.kinds].some(({ status }) => status !== "unchanged")) changed.push(name);
    } catch (error) {
      throw new Refused([`the jobs of functions/${name} cannot be registered: ${error.message}`, error.detail, error.hint].filter(Boolean).join("\n  "));
    }
  }
  return changed;
}

/** The definition with the function that serves its queues. */
export function servedBy({ kinds }, name) {
  return { kinds, queues: [...new Set(kinds.map(({ queue }) => queue))].map((queue) => ({ queue, served_by: "function", function: name })) };
}

// As Postgres signs.
export function signed(body, secret, id = randomUUID(), at = Math.floor(Date.now() / 1000)) {
  const [first] = secret.trim().split(/\s+/);
  const signature = createHmac("sha256", Buffer.from(first.replace(/^whsec_/, ""), "base64")).update(`${id}.${at}.${body}`).digest("base64");
  return { method: "POST", body, headers: { "content-type": "application/json", "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": `v1,${signature}` } };
}

const DESCRIBE = JSON.stringify({ describe: true });

/** What a function says of its jobs, or null: not every function is one of the library. */
async function describe(url, secret) {
  const answer = await fetch(url, signed(DESCRIBE, secret)).catch(() => null);
  return definitionIn(answer);
}

export async function definitionIn(answer) {
  const value = answer?.ok ? await answer.json().catch(() => null) : null;
  return Array.isArray(value?.kinds) && value.kinds.length > 0 && value.kinds.every(({ kind, queue }) => kind && queue) ? value : null;
}

/** The request, for a function that is called where it is. */
export const describing = (secret) => new Request("http://localhost/", signed(DESCRIBE, secret));
