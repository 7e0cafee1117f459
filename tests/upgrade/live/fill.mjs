// Fills an installation with work in every state, by the calls and under the roles that make it in a deployment.
import { actorsOf } from "./actors.mjs";
import * as compat from "./compat.mjs";
import * as documents from "./documents.mjs";
import * as engine from "./engine.mjs";
import * as exports_ from "./exports.mjs";
import * as refresh from "./refresh.mjs";
import * as workflows from "./workflows.mjs";

/** Fills an installation with work in every state. */
export async function fill(client) {
  const actors = actorsOf(client);
  const giveBack = await engine.slowRetries(actors);
  const bindAgain = await engine.letUsersRunMany(actors);
  for (const { fill } of [engine, workflows, documents, exports_, refresh, compat]) await fill(actors);
  await engine.round(actors);
  for (const { lose } of [workflows, documents, refresh, engine]) await lose(actors);
  await giveBack();
  await bindAgain();
  await engine.finish(actors);
  await checkFilled(client);
}

// What the tests of upgrades are about. A kind whose jobs are only waited for by a machine (mail) needs no other state.
const FILLED = {
  echo: ["pending", "deferred", "retrying", "processing", "lost", "asked to cancel", "completed", "cancelled", "failed"],
  mail: ["packed", "processing", "lost"],
  letter: ["pending"], // users enqueue into its queue, so that it is fair and packs nothing
  weekly_report: ["pending", "processing"],
  brittle_call: ["retrying"],
  calculation: ["pending"],
  fast_queue_security: ["pending", "processing", "completed", "cancelled"],
  fast_queue_ocr: ["pending", "processing", "lost", "completed", "failed"],
  fast_queue_spatial: ["pending", "processing", "completed"],
  ai_queue_pass1: ["pending", "processing", "completed"],
  ai_queue_pass2: ["pending", "processing", "completed"],
  ai_queue_pass3: ["pending", "processing", "completed"],
  export_pdf: ["pending", "retrying", "processing", "completed", "cancelled", "failed"],
  "refresh.quote": ["pending", "retrying", "processing", "lost", "completed", "failed"],
  "refresh.profile": ["pending"],
};

/** A dump that lacks a state would test less, and nobody would notice. */
async function checkFilled(client) {
  const { rows } = await client.query(`
    select distinct j.kind || ' ' || case when j.cancel_requested then 'asked to cancel' when j.lease_until < clock_timestamp() then 'lost' else j.state end as state from mill.job j
    union select distinct p.kind || ' packed' from mill.packed_job p
    union select 'breaker ' || b.state from mill.breaker b where b.target = 'brittle'`);
  const there = new Set(rows.map(({ state }) => state));
  const missing = [...Object.entries(FILLED).flatMap(([kind, states]) => states.map((state) => `${kind} ${state}`)), "breaker open"]
    .filter((state) => !there.has(state));
  if (missing.length > 0) throw new Error(`the database has no job in these states: ${missing.join(", ")}`);
}
