// pg-boss 10, the newest that says it runs on Node 20, which is what this project asks for; 11 and 12 want 22.
import PgBoss from "pg-boss-10";

import { driver } from "./pg-boss.mjs";

export const name = "pg-boss 10";

// Its insert takes the queue's name with each job.
export const { install, open } = driver(PgBoss, (boss, queue, payloads) => boss.insert(payloads.map((data) => ({ name: queue, data }))));
