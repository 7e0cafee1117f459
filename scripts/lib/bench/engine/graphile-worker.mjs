// graphile-worker by its own code: addJobs of makeWorkerUtils, and the two batch statements that its local
// queue sends (documented as localQueue.size and completeJobBatchDelay). These are not exported, so they are
// imported from its files; calling them without the worker around spares it all polling and scheduling.
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import pg from "pg";

export const name = "graphile-worker";

const TASK = "bench";
const dist = path.dirname(fileURLToPath(import.meta.resolve("graphile-worker")));
const inside = (file) => import(pathToFileURL(path.join(dist, file)));

const silent = (Logger) => new Logger(() => () => {});

export async function install(client, url) {
  const { makeWorkerUtils, Logger } = await import("graphile-worker");
  const utils = await makeWorkerUtils({ connectionString: url, logger: silent(Logger) });
  await utils.migrate();
  await utils.release();
}

export async function open(url, connections) {
  const { Logger } = await import("graphile-worker");
  const { getUtilsAndReleasersFromOptions } = await inside("lib.js");
  const { batchGetJobs } = await inside("sql/getJobs.js");
  const { batchCompleteJobs } = await inside("sql/completeJobs.js");
  const pgPool = new pg.Pool({ connectionString: url, max: connections });
  pgPool.on("error", () => {});
  pgPool.on("connect", (client) => client.on("error", () => {})); // it warns of a pool without
  const [options, release] = await getUtilsAndReleasersFromOptions({ pgPool, logger: silent(Logger) });
  const tasks = { [TASK]: () => {} };
  return {
    enqueue: (payloads) => options.addJobs(payloads.map((payload) => ({ identifier: TASK, payload }))),
    claim: (max) => batchGetJobs(options, options.withPgClient, tasks, "bench", null, max),
    complete: (jobs) => batchCompleteJobs(options, options.withPgClient, "bench", jobs),
    close: async () => {
      await release();
      await pgPool.end();
    },
  };
}
