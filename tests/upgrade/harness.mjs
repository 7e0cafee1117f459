// What the tests of `gristmill migrate` share: a Postgres whose version has a pg_dump, databases of their own, and small
// folders of SQL that stand for two releases.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import pg from "pg";

import { DUMP, plain } from "../../scripts/lib/schema/dump.mjs";
import { root } from "../../sdk/local/stack/paths.mjs";
import { Server } from "../../sdk/local/stack/server.mjs";

const folders = [];
process.on("exit", () => folders.forEach((place) => fs.rmSync(place, { recursive: true, force: true })));
function temporary() {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-sql-"));
  folders.push(place);
  return place;
}

/** The server of one test file: Debian's Postgres 15, because the embedded one brings no pg_dump. */
export class Releases {
  #count = 0;

  constructor(name) {
    this.server = new Server(`upgrade-${name}`, { postgres: "debian" });
  }

  async start() {
    await this.server.start();
    return this;
  }

  stop() {
    return this.server.destroy();
  }

  /** A database of its own, empty or as a copy of another. Not dropped: the server goes at the end. */
  async database(copied) {
    return new Database(this.server, await this.server.create(`upgrade_${++this.#count}`, copied?.name));
  }
}

export class Database {
  constructor(server, name) {
    Object.assign(this, { server, name });
  }

  /** A connection that the test ends. */
  async connect() {
    const client = new pg.Client({ connectionString: this.server.url(this.name) });
    client.on("error", () => {}); // the query's own error tells
    await client.connect();
    return client;
  }

  query(text, values) {
    return this.server.query(this.name, text, values);
  }

  connected(work) {
    return this.server.connected(this.name, work);
  }

  /** One column of all rows. */
  async values(text, values) {
    return (await this.query({ text, values, rowMode: "array" })).rows.map((row) => row[0]);
  }

  /** `gristmill migrate` with the files of a folder, or with those in the binary. Never throws: a refusal is a result. */
  migrate(folder, ...args) {
    return this.server.gristmill(this.name, ...command(folder, args));
  }

  /** The same as a process that can be killed. */
  startMigrating(folder, ...args) {
    return this.server.spawnGristmill(this.name, ...command(folder, args));
  }

  /** `gristmill doctor`, which needs no other parts of a stack. */
  doctor(folder) {
    return this.server.gristmill(this.name, "doctor", "--offline", { GRISTMILL_SQL_DIR: folder ?? undefined });
  }

  /** The schema as text, without the partitions that time makes. */
  async dump() {
    return plain(await this.server.dump(this.name, ...WHOLE));
  }

  psql(text) {
    return this.server.psql(this.name, text);
  }
}

// All schemas: an application may lie in one of its own.
const WHOLE = DUMP.filter((option) => !option.startsWith("--schema="));
const command = (folder, args) => ["migrate", ...(folder ? ["--sql-dir", folder] : []), ...args];

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
