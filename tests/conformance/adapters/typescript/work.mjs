import { gristmill } from "../../../../sdk/typescript/dist/index.js";
import { handlers } from "./handlers.mjs";

const { CONFORM_QUEUE, CONFORM_CONCURRENCY, CONFORM_DRAIN_SECONDS } = process.env;
await gristmill().work(handlers, { queues: [CONFORM_QUEUE], concurrency: Number(CONFORM_CONCURRENCY), drain: Number(CONFORM_DRAIN_SECONDS) });
process.exit(0); // a handler that hangs must not keep the process
