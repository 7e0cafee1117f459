// Run by tests/testing/deno.test.mjs: gristmill/testing in Deno.
import { defineJob, handle } from "../../sdk/typescript/dist/index.js";
import { testing } from "../../sdk/typescript/dist/testing/index.js";

const hello = defineJob("hello").payload<{ name: string }>();
const t = await testing({ handlers: [handle(hello, ({ payload }) => `Hello ${payload.name}`)], now: "2030-01-01T00:00:00Z" });
const { id } = await t.mill.enqueue(hello, { name: "Deno" }, { in: "1h" });
await t.clock.move("1h");
const { completed } = await t.drain();
console.log(JSON.stringify({ completed, result: (await t.job(id))!.result }));
await t.reset();
console.log(JSON.stringify(await t.jobs()));
await t.close();
Deno.exit(0);
