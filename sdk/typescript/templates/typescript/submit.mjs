// npm run submit -- NAME      submits a greeting to the running stack and shows what became of it
import { run } from "./client.mjs";

const job = await run("greet", { name: process.argv[2] ?? "Ada" });
console.log(`${job.id} is ${job.state}:`, job.result ?? job.error);
