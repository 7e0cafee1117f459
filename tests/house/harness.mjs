// What the tests of the house share: which objects each part brings, and databases that are set up once and copied.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";

import { readManifest } from "../../scripts/lib/graph/manifest.mjs";
import { created } from "../../scripts/lib/graph/objects.mjs";
import { difference } from "../../scripts/lib/schema/dump.mjs";
import { root } from "../../sdk/local/stack/paths.mjs";
import { Server } from "../../sdk/local/stack/server.mjs";

export const APPLICATIONS = ["documents", "refresh", "exports", "workflows", "compat"];

const sql = path.join(root, "sql");
const parts = readManifest(fs.readFileSync(path.join(sql, "manifest.txt"), "utf8"));
const isOptional = (part) => part.kind !== "base";

/** The names of what the files of optional parts create; `of`: of one part only. */
export function optionalObjects(kinds, of = null) {
  return parts.filter((part) => (of ? part.name === of : isOptional(part))).flatMap((part) => part.files)
    .flatMap(({ path: file }) => created(fs.readFileSync(path.join(sql, file), "utf8")))
    .filter((object) => kinds.includes(object.kind)).map((object) => object.name);
}

/** Compares dumps, and shows the first lines that differ instead of thousands. */
export function assertSame(actual, expected, what = "the two are the same") {
  const found = difference(expected, actual);
  assert.equal(found, null, found && `${what}; the first difference (- expected, + actual) is at ${found}`);
}

/** A server with databases that are migrated once and copied as often as tests like. */
export class House {
  #templates = new Map();
  #count = 0;

  constructor(name, options) {
    this.server = new Server(`house-${name}`, options);
  }

  async start() {
    await this.server.start();
    return this;
  }

  destroy() {
    return this.server.destroy();
  }

  /** A `gristmill` command that must succeed; answers what it printed. */
  async run(database, ...args) {
    const { code, stdout, stderr } = await this.server.gristmill(database, ...args);
    if (code !== 0) throw new Error(`gristmill ${args.join(" ")} failed with ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  migrate(database, ...args) {
    return this.run(database, "migrate", ...args);
  }

  /** A database of its own, migrated with these arguments; null: nothing is installed yet. */
  async database(args = [], ground = "") {
    const name = `house_${++this.#count}`;
    if (args === null) {
      await this.server.create(name);
      if (ground) await this.server.query(name, ground);
      return name;
    }
    const key = [ground, ...args].join(" ");
    if (!this.#templates.has(key)) this.#templates.set(key, this.#template(args, ground));
    return this.server.create(name, await this.#templates.get(key));
  }

  async #template(args, ground) {
    const name = `template_${this.#templates.size}`;
    await this.server.create(name);
    if (ground) await this.server.query(name, ground);
    await this.migrate(name, ...args);
    return name;
  }
}
