// Gristmill by its TypeScript library over HTTP, through the gateway: mill.enqueue and mill.work as they ship. The
// worker settles jobs and claims the next in one call, and claims ahead what it does in a tenth of a second, unless `prefetch` is 0.
import { defineJob, gristmill, handle } from "../../../../sdk/typescript/dist/index.js";

export const name = "gristmill";

const job = defineJob("bench"); // its queue has the same name, and no function serves it
const open = ({ url, key }) => gristmill({ url, key });

export async function install({ target }) {
  await open(target).register([job]);
}

export const unfinished = `select (select count(*) from mill.job_live where queue = 'bench')::int
  + (select coalesce(sum(jobs), 0) from mill.pack where queue = 'bench')::int as jobs`;

export async function produce(target) {
  const mill = open(target);
  return {
    enqueue: (payload) => mill.enqueue(job, payload),
    enqueueMany: (payloads) => mill.enqueueMany(job, payloads),
    close() {},
  };
}

export async function work(target, { concurrency, fetchesAhead, onJob }) {
  const rest = new AbortController();
  const options = { concurrency, signal: rest.signal, ...(!fetchesAhead && { prefetch: 0 }) };
  const working = open(target).work([handle(job, async () => onJob())], options);
  return () => {
    rest.abort();
    return working;
  };
}
