// pg-boss by its public calls: insert (its raw path for many jobs, without asking for ids back), fetch with batchSize,
// complete with the fetched jobs, which fences them by attempt, as its own worker does and as we do. Supervision and schedules
// are off: they would only cost it.
import { PgBoss } from "pg-boss";

export const name = "pg-boss";

const QUEUE = "bench";
const quiet = { supervise: false, schedule: false };

/** What every contender offers, for a version of pg-boss and its ways of inserting and completing many. */
export function driver(Boss, { insert, complete }) {
  const start = async (options) => {
    const boss = new Boss({ ...options, ...quiet });
    boss.on("error", () => {});
    await boss.start();
    return boss;
  };
  return {
    async install(client, url) {
      const boss = await start({ connectionString: url });
      await boss.createQueue(QUEUE);
      await boss.stop({ graceful: false });
    },
    async open(url, connections) {
      const boss = await start({ connectionString: url, max: connections, migrate: false });
      return {
        enqueue: (payloads) => insert(boss, QUEUE, payloads),
        claim: (max) => boss.fetch(QUEUE, { batchSize: max }),
        complete: (jobs) => complete(boss, QUEUE, jobs),
        close: () => boss.stop({ graceful: false }),
      };
    },
  };
}

export const { install, open } = driver(PgBoss, {
  insert: (boss, queue, payloads) => boss.insert(queue, payloads.map((data) => ({ data }))),
  complete: (boss, queue, jobs) => boss.complete(queue, jobs),
});
