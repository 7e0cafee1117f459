import { gristmill } from "../../../../sdk/typescript/dist/index.js";
import { handlers } from "./handlers.mjs";

Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.env.get("PORT")) }, gristmill().serve(handlers));
