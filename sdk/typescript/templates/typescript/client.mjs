// A client of the stack, for submit.mjs and the tests. `gristmill test` sets these variables; `gristmill dev` writes them to .gristmill/dev.env.
import { createClient } from "@supabase/supabase-js";
import ws from "ws";

const { GRISTMILL_URL, GRISTMILL_SERVICE_KEY } = process.env;
if (!GRISTMILL_URL || !GRISTMILL_SERVICE_KEY) throw new Error("GRISTMILL_URL and GRISTMILL_SERVICE_KEY are not set");

// Node 20 has no WebSocket of its own, and supabase-js does not start without one. From Node 22 on leave `transport` and the package ws out.
export const supabase = createClient(GRISTMILL_URL, GRISTMILL_SERVICE_KEY, {
  realtime: { transport: /** @type {any} */ (ws) },
  auth: { persistSession: false },
});

/**
 * Submits a job and waits until it has ended.
 * @param {string} kind
 * @param {object} payload
 */
export async function run(kind, payload) {
  const { id } = await call("submit_job", { p_kind: kind, p_payload: payload });
  for (;;) {
    const job = await call("get_job", { p_id: id });
    if (["completed", "failed", "cancelled"].includes(job.state)) return job;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** @param {string} name @param {object} values */
async function call(name, values) {
  const { data, error } = await supabase.rpc(name, values);
  if (error) throw new Error(`${name}: ${error.message}`);
  return data;
}
