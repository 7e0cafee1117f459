// pg-boss by its public calls: insert (its raw path for many jobs, without asking for ids back), fetch with
// batchSize, complete with an array of ids. Supervision and schedules are off: they would only cost it.
import { PgBoss } from "pg-boss";

export const name = "pg-boss";

const QUEUE = "bench";
const quiet = { supervise: false, schedule: false };

export async function install(client, url) {
  const boss = await start({ connectionString: url });
  await boss.createQueue(QUEUE);
  await boss.stop({ graceful: false });
}

export async function open(url, connections) {
  const boss = await start({ connectionString: url, max: connections, migrate: false });
  return {
    enqueue: (payloads) => boss.insert(QUEUE, payloads.map((data) => ({ data }))),
    claim: (max) => boss.fetch(QUEUE, { batchSize: max }),
    complete: (jobs) => boss.complete(QUEUE, jobs.map(({ id }) => id)),
    close: () => boss.stop({ graceful: false }),
  };
}

async function start(options) {
  const boss = new PgBoss({ ...options, ...quiet });
  boss.on("error", () => {});
  await boss.start();
  return boss;
}
