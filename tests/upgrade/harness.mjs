// What the tests of `gristmill migrate` share: a Postgres whose version has a pg_dump, databases of their own, and small
// folders of SQL that stand for two releases.
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import pg from "pg";

import { checkoutState, gristmill, root } from "../../scripts/lib/stack/paths.mjs";
import { freePorts } from "../../scripts/lib/stack/ports.mjs";
import { Postgres } from "../../scripts/lib/stack/postgres.mjs";

const run = promisify(execFile);

const folders = [];
process.on("exit", () => folders.forEach((place) => fs.rmSync(place, { recursive: true, force: true })));
function temporary() {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-sql-"));
  folders.push(place);
  return place;
}

/** Debian's Postgres 15: the embedded one brings no pg_dump. */
export class Server {
  async start() {
    const [port] = await freePorts(1);
    this.folder = path.join(checkoutState, `upgrade-${process.pid}-${randomBytes(3).toString("hex")}`);
    fs.mkdirSync(path.join(this.folder, "logs"), { recursive: true });
    for (let folder = this.folder; folder.startsWith(path.dirname(checkoutState)); folder = path.dirname(folder)) fs.chmodSync(folder, 0o755);
    this.postgres = new Postgres({
      flavour: "debian", dataDir: path.join(this.folder, "data"), port, password: "test", logDir: path.join(this.folder, "logs"), env: {},
      settings: { fsync: "off" },
    });
    await this.postgres.start();
    this.count = 0;
    return this;
  }

  async stop() {
    await this.postgres?.stop();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  /** A database of its own. Not dropped: the cluster goes at the end. */
  async database() {
    const name = `upgrade_${++this.count}`;
    await this.postgres.query(`create database ${name}`);
    return new Database(this.postgres.url().replace(/gristmill$/, name));
  }
}

export class Database {
  constructor(url) {
    this.url = url;
  }

  async connect() {
    const client = new pg.Client({ connectionString: this.url });
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  async query(text, values) {
    const client = await this.connect();
    try {
      return await client.query(text, values);
    } finally {
      await client.end();
    }
  }

  /** One column of all rows. */
  async values(text) {
    return (await this.query({ text, rowMode: "array" })).rows.map((row) => row[0]);
  }

  /** `gristmill migrate` with the files of a folder, or with those in the binary. Never throws: a refusal is a result. */
  async migrate(folder, ...args) {
    try {
      const { stdout, stderr } = await run(gristmill, ["migrate", ...args], { env: this.env(folder), maxBuffer: 64 * 1024 * 1024 });
      return { code: 0, stdout, stderr };
    } catch (error) {
      return { code: error.code, stdout: error.stdout, stderr: error.stderr };
    }
  }

  /** The same as a process that can be killed. */
  startMigrating(folder, ...args) {
    return spawn(gristmill, ["migrate", ...args], { env: this.env(folder), stdio: "ignore" });
  }

  env(folder) {
    return { ...process.env, GRISTMILL_DATABASE_URL: this.url, ...(folder ? { GRISTMILL_SQL_DIR: folder } : {}) };
  }

  /** The schema as text, without what time makes and without the random keys of newer versions of pg_dump. */
  async dump() {
    const { stdout } = await run("/usr/lib/postgresql/15/bin/pg_dump",
      ["--schema-only", "--exclude-table=mill.job_done_*", "--exclude-table=mill.audit_log_*", this.url], { maxBuffer: 64 * 1024 * 1024 });
    return stdout.replace(/^\\(un)?restrict .*$/gm, "");
  }

  async psql(file) {
    await run("/usr/bin/psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", file, this.url], { maxBuffer: 64 * 1024 * 1024 });
  }
}

/** Writes a folder of SQL with its manifest. `parts` is a list of [line behind "part ", {path: text}]; a path in `migrations/` is one. */
export function folder(parts) {
  const place = temporary();
  const manifest = [];
  for (const [line, files] of parts) {
    manifest.push(`part ${line}`);
    for (const [file, text] of Object.entries(files)) {
      const mode = file.startsWith("migrations/") ? "migration" : file.endsWith("tables.sql") ? "once" : "always";
      manifest.push(`${mode} ${file}`);
      fs.mkdirSync(path.dirname(path.join(place, file)), { recursive: true });
      fs.writeFileSync(path.join(place, file), text);
    }
  }
  fs.writeFileSync(path.join(place, "manifest.txt"), `${manifest.join("\n")}\n`);
  return place;
}

/** The files of `sql/` in a folder that a test may change. */
export function copyOfSql(change = () => {}) {
  const place = temporary();
  fs.cpSync(path.join(root, "sql"), place, { recursive: true });
  change(place);
  return place;
}
