// npm run submit -- NAME      enqueues a greeting in the running stack and shows what became of it
import { defineJob, gristmill } from "gristmill";

// A program that is compiled imports this from functions/greet/job.ts, and its payload has a type. Node 20 runs no TypeScript by itself.
const greet = defineJob("greet");

const mill = gristmill(); // takes GRISTMILL_URL and GRISTMILL_SERVICE_KEY, which `gristmill dev` writes to .gristmill/dev.env
const { id } = await mill.enqueue(greet, { name: process.argv[2] ?? "Ada" });
const job = await mill.wait(id);
console.log(`${id} is ${job.state}:`, job.result ?? job.error);
