// Creates the app's table, as the owner of the database.
import { readFile } from "node:fs/promises";
import pg from "pg";

const client = new pg.Client({ connectionString: process.env["OWNER_DATABASE_URL"] });
await client.connect();
await client.query(await readFile(new URL("../../schema.sql", import.meta.url), "utf8"));
await client.query("grant select, insert, update on public.orders to order_app");
await client.end();
