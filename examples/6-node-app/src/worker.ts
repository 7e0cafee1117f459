// The worker: a process of its own that claims jobs over HTTP and runs them. Start as many as you need.
import { gristmill } from "gristmill";
import pg from "pg";
import { handlers } from "./handlers.js";

const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"] });
const mill = gristmill(); // SUPABASE_URL and SUPABASE_SERVICE_ROLE_KEY, or GRISTMILL_URL and GRISTMILL_SERVICE_KEY

const all = handlers(pool, async ({ to, text, key }) => console.log(`mail ${key} to ${to}: ${text}`));
await mill.register(all);
console.log("working");
await mill.work(all, { concurrency: 20 });
await pool.end();
