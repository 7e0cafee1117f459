// What is done to the system in the chaos tests, beside killing its parts. Each fault is a function that begins it and gives what ends it.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import pg from "pg";

/** Compiles what lets a disk look full, where there is a C compiler. Gives the environment that Postgres must have for it; null without one. */
export function prepareFullDisk(folder) {
  const library = path.join(folder, "full_disk.so");
  const flag = path.join(folder, "full");
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, fileURLToPath(new URL("full_disk.c", import.meta.url)), "-ldl"], { stdio: "pipe" });
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
  fs.chmodSync(folder, 0o755); // Postgres runs as another user
  fs.chmodSync(library, 0o755);
  return { LD_PRELOAD: library, FULL_DISK_FLAG: flag };
}

/** The faults of a stack whose gateway reaches Postgres by `toPostgres`, and whose functions and worker reach the gateway by `toGateway`. */
export function faults(stack, { toPostgres, toGateway }) {
  const sql = async (...statements) => {
    const client = await connected(stack);
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const network = (proxy, fault, seconds) => () => {
    proxy.break(fault, seconds);
    return () => proxy.heal();
  };

  return {
    "a read-only database": async () => {
      await sql("alter system set default_transaction_read_only = on", "select pg_reload_conf()");
      return () => sql("set default_transaction_read_only = off", "alter system reset default_transaction_read_only", "select pg_reload_conf()");
    },
    "a full disk": async () => {
      const { FULL_DISK_FLAG: flag } = stack.env.postgres;
      fs.writeFileSync(flag, "");
      return () => fs.rmSync(flag);
    },
    "answers of Postgres that get lost": network(toPostgres, "lost answers"),
    "half-open connections to Postgres": network(toPostgres, "half-open"),
    "resets of connections to Postgres": network(toPostgres, "reset"),
    "silence between gateway and Postgres": network(toPostgres, "silence"),
    "answers of the gateway that get lost": network(toGateway, "lost answers"),
    "half-open connections to the gateway": network(toGateway, "half-open"),
    "resets of connections to the gateway": network(toGateway, "reset"),
    "silence between functions, worker and gateway": network(toGateway, "silence"),
    "packets to Postgres that take 30 s longer": network(toPostgres, "delay", 30),
    "packets to the gateway that take 30 s longer": network(toGateway, "delay", 30),
    "a lock on all jobs": async () => {
      const client = await connected(stack);
      await client.query("begin; lock table mill.job_live in access exclusive mode");
      return async () => { await client.query("rollback"); await client.end(); };
    },
    // Whoever has lost its connection gets no other while it lasts.
    "connections that others use up": async () => {
      const others = [];
      const fill = async () => {
        try {
          for (;;) others.push(await connected(stack));
        } catch (error) {
          if (error.code !== "53300") throw error;
        }
      };
      await fill();
      await others[0].query("select pg_terminate_backend(a.pid) from pg_stat_activity a where a.usename = 'authenticator'");
      await fill();
      return async () => { for (const client of others) await client.end(); };
    },
    "a worker that is frozen": async () => {
      process.kill(stack.parts.work.pid, "SIGSTOP");
      return () => process.kill(stack.parts.work.pid, "SIGCONT");
    },
  };
}

async function connected(stack) {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  client.on("error", () => {}); // the query's own error tells
  await client.connect();
  return client;
}
