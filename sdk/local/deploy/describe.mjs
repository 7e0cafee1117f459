// Runs one bundled function, asks it for its definition, and sends that to the process which has started this one: a process of its own, because the code is the user's.
import { pathToFileURL } from "node:url";

import { definitionIn, describing } from "../project/definition.mjs";

const SECRET = `whsec_${Buffer.alloc(32).toString("base64")}`; // nobody else is asked with it

const { default: worker } = await import(pathToFileURL(process.argv[2]));
const answer = await Promise.resolve().then(() => worker.fetch(new Request("http://localhost/", describing(SECRET)),
  { INVOKE_SECRET: SECRET, SUPABASE_URL: "http://localhost:1", SUPABASE_SERVICE_ROLE_KEY: "none" }, { waitUntil() {}, passThroughOnException() {} })).catch(() => null);
process.send({ definition: await definitionIn(answer) }, () => process.exit());
