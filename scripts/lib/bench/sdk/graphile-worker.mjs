// graphile-worker by makeWorkerUtils and run, with a pool of two connections more than jobs that run at once, as it advises. Where jobs may be
// fetched ahead it has the settings of its own figures: a local queue of 500 jobs, and completions that are sent together. NO_LOG_SUCCESS is
// set for it: see process.mjs.
import { Logger, makeWorkerUtils, run } from "graphile-worker";

export const name = "graphile-worker";

const TASK = "noop";
const logger = new Logger(() => (level, message) => level === "error" && console.error(message));

export async function install({ url }) {
  const utils = await makeWorkerUtils({ connectionString: url, logger });
  await utils.migrate();
  await utils.release();
}

export const unfinished = "select count(*)::int as jobs from graphile_worker._private_jobs";

export async function produce({ url }, { inFlight }) {
  const utils = await makeWorkerUtils({ connectionString: url, maxPoolSize: inFlight, logger });
  return {
    enqueue: (payload) => utils.addJob(TASK, payload),
    enqueueMany: (payloads) => utils.addJobs(payloads.map((payload) => ({ identifier: TASK, payload }))),
    close: () => utils.release(),
  };
}

export async function work({ url }, { concurrency, fetchesAhead, onJob }) {
  const runner = await run({
    noHandleSignals: true,
    taskList: { [TASK]: async () => onJob() },
    preset: {
      worker: {
        connectionString: url,
        concurrentJobs: concurrency,
        maxPoolSize: Math.max(10, concurrency + 2),
        logger,
        ...(fetchesAhead && { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }),
      },
    },
  });
  return () => runner.stop();
}
