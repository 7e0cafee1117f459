// The calls of the protocol in a loop, by the TypeScript library over HTTP and without its worker: what a client in any language can reach.
import { gristmill } from "../../../../sdk/typescript/dist/index.js";

export { install, name, produce, unfinished } from "./gristmill.mjs";

/** `together`: settle_and_claim; otherwise settle_jobs and then claim_jobs. `batch` jobs at a time, over one connection. */
export async function work({ url, key }, { batch, together, onJob }) {
  const mill = gristmill({ url, key });
  const who = { p_worker: `bench-${process.pid}` };
  const what = { p_queues: ["bench"], p_max: batch };
  const run = (jobs) => jobs.map(({ id, attempt }) => {
    onJob();
    return { id, attempt, outcome: "completed" };
  });
  let jobs = await mill.rpc("claim_jobs", { ...who, ...what });
  const working = (async () => {
    while (jobs.length > 0) {
      const settled = { ...who, p_outcomes: run(jobs) };
      if (together) ({ jobs } = await mill.rpc("settle_and_claim", { ...settled, ...what }));
      else {
        await mill.rpc("settle_jobs", settled);
        jobs = await mill.rpc("claim_jobs", { ...who, ...what });
      }
    }
  })();
  return () => working;
}
