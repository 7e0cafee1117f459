// pg-boss 10, the newest that says it runs on Node 20, which is what this project asks for; 11 and 12 want 22.
import PgBoss from "pg-boss-10";

import { driver } from "./pg-boss.mjs";

export const name = "pg-boss 10";

// Its insert takes the queue's name with each job, and it knows no fence.
export const { install, open } = driver(PgBoss, {
  insert: (boss, queue, payloads) => boss.insert(payloads.map((data) => ({ name: queue, data }))),
  complete: (boss, queue, jobs) => boss.complete(queue, jobs.map(({ id }) => id)),
});
