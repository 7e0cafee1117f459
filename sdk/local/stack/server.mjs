// A Postgres without a stack around it: databases in it are made, copied and migrated in whichever way a test or a script wants.
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";

import { checkoutState, gristmill, stateRoot } from "./paths.mjs";
import { freePorts } from "./ports.mjs";
import { debianTool, Postgres } from "./postgres.mjs";
import * as registry from "./registry.mjs";
import { watchOver } from "./undertaker.mjs";

const run = promisify(execFile);

export class Server {
  /**
   * @param {string} name  its data lies in a folder of this name, and is gone with the server
   * @param {{postgres?: "embedded"|"embedded-18"|"debian", settings?: Record<string, string>}} [options]
   */
  constructor(name, { postgres = "embedded", settings = {} } = {}) {
    Object.assign(this, { flavour: postgres, settings });
    this.folder = path.join(checkoutState, `${name}-${process.pid}`);
  }

  async start() {
    const logDir = path.join(this.folder, "logs");
    fs.mkdirSync(logDir, { recursive: true });
    for (let folder = this.folder; folder.startsWith(stateRoot); folder = path.dirname(folder)) fs.chmodSync(folder, 0o755);
    watchOver(this);
    const [port] = await freePorts(1);
    this.postgres = new Postgres({
      flavour: this.flavour, port, logDir, dataDir: path.join(this.folder, "postgres"), password: randomBytes(18).toString("base64url"),
      env: registry.mark(this.folder),
      // Nothing here outlives the server, so nothing is forced to disk.
      settings: { fsync: "off", full_page_writes: "off", synchronous_commit: "off", ...this.settings },
    });
    await this.postgres.start();
    return this;
  }

  async destroy() {
    await this.postgres?.stop({ keepsData: false });
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  url(database, user, password) {
    return this.postgres.url(user, password).replace(/[^/]+$/, database);
  }

  /** Makes a database, empty or as a copy of another to which nobody is connected. */
  async create(database, template = "template0") {
    await this.query("postgres", `create database ${pg.escapeIdentifier(database)} template ${pg.escapeIdentifier(template)}`);
    return database;
  }

  /** One statement, or several without values, as the superuser. */
  query(database, text, values) {
    return this.connected(database, (client) => client.query(text, values));
  }

  async connected(database, work) {
    const client = new pg.Client({ connectionString: this.url(database) });
    client.on("error", () => {}); // the query's own error tells
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** Runs one `gristmill` command on a database. It never throws: tests look at refusals too. Environment may stand behind the arguments. */
  async gristmill(database, ...args) {
    const env = typeof args.at(-1) === "object" ? args.pop() : {};
    return tried(gristmill, args, { ...this.#env(database), ...env, GRISTMILL_INVOKE_SECRET: `whsec_${Buffer.from("a secret of the tests of the house").toString("base64")}` });
  }

  /** Starts one `gristmill` command as a process that a test may kill. */
  spawnGristmill(database, ...args) {
    return spawn(gristmill, args, { env: { ...process.env, ...this.#env(database) }, stdio: "ignore" });
  }

  #env(database) {
    return { ...registry.mark(this.folder), GRISTMILL_DATABASE_URL: this.url(database) };
  }

  /** `pg_dump` with these arguments. Debian's server only: the others come without a pg_dump, and an older one refuses a newer server. */
  async dump(database, ...args) {
    const { stdout } = await run(debianTool("pg_dump"), [...args, this.url(database)], { maxBuffer: 1 << 28 });
    return stdout;
  }

  /** Feeds a plain SQL file to psql, which stops at the first error. */
  async psql(database, text) {
    const child = run(debianTool("psql"), ["-X", "-q", "-v", "ON_ERROR_STOP=1", this.url(database)], { maxBuffer: 1 << 28 });
    child.child.stdin.end(text);
    return child;
  }
}

async function tried(command, args, env) {
  try {
    const { stdout, stderr } = await run(command, args, { env: { ...process.env, ...env }, maxBuffer: 1 << 28 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    if (typeof error.code !== "number") throw error;
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}
