// Submits a job and watches it, as a program for Deno. Called by client.test.mjs with the address, the key and a token.
import { client } from "../../sdk/typescript/dist/client/index.js";

const [url, key, token] = Deno.args;
const mill = client({ url, key, token });
const { id } = await mill.enqueue("echo", { hello: "deno" });
for await (const { state, result } of mill.watch(id)) if (state === "completed") console.log(JSON.stringify(result));
