// One server, a database for each contender and each experiment, so that none works in another's dead rows.
import pg from "pg";

import * as gristmill from "./gristmill.mjs";

const urlOf = (stack, database) => {
  const url = new URL(stack.databaseUrl);
  url.pathname = `/${database}`;
  return url.href;
};

/** Creates a database with a contender in it and returns its address. Ours are copies of the migrated one. */
export async function create(stack, contender, database) {
  const template = contender === gristmill ? "gristmill" : "template0";
  await withClient(stack.databaseUrl.replace(/gristmill$/, "postgres"), async (client) => {
    // pg_cron's launcher sits in the migrated database, and nobody may while it is copied.
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()", [template]);
    await client.query(`create database ${pg.escapeIdentifier(database)} template ${template}`);
  });
  const url = urlOf(stack, database);
  await withClient(url, (client) => contender.install(client, url));
  return url;
}

export async function withClient(url, work) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
