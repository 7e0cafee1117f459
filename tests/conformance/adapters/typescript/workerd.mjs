import { gristmill } from "../../../../sdk/typescript/dist/index.js";
import { handlers } from "./handlers.mjs";

export default { fetch: gristmill().serve(handlers) };
