// The files that a deployment keeps in the user's folder: which are ours to write, which are the user's, and which hold secrets.
import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

import { parse } from "smol-toml";

import { GENERATED } from "./functions.mjs";

/** What the command keeps beside the platform's files. Git ignores it. */
export const KEPT = ".gristmill";
export const SECRETS_FILE = `${KEPT}/secrets.env`;

/** A mistake of the caller: said in a sentence, without a stack. */
export class Refusal extends Error {}

const read = (file) => fs.existsSync(file) ? fs.readFileSync(file, "utf8") : null;
export const digest = (...parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex");
};

/**
 * Files that are to be written, collected first: nothing is changed before all is known to be right.
 * `apply` answers the names of those that it has changed.
 */
export class Plan {
  #files = new Map();

  constructor(folder) {
    this.folder = folder;
  }

  add(name, content, mode = 0o644) {
    this.#files.set(name, { content, mode });
  }

  has(name) {
    return this.#files.has(name);
  }

  changes() {
    return [...this.#files].filter(([name, { content }]) => {
      const file = path.join(this.folder, name);
      return !fs.existsSync(file) || Buffer.compare(fs.readFileSync(file), Buffer.from(content)) !== 0;
    }).map(([name]) => name);
  }

  apply() {
    const changed = this.changes();
    for (const name of changed) {
      const { content, mode } = this.#files.get(name);
      write(path.join(this.folder, name), content, mode);
    }
    return changed;
  }
}

// Whole or not at all, and never readable by others in between.
function write(file, content, mode) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const next = `${file}.${process.pid}.new`;
  fs.writeFileSync(next, content, { mode });
  fs.chmodSync(next, mode); // also where the umask took something away
  fs.renameSync(next, file);
}

/** The text of a file that we write whole, with a checksum, so that a change by hand is noticed and not overwritten. */
export function ours(text, command, comment = "#") {
  return `${comment} Written by \`${command}\`, and written again by the next run. Settings are in gristmill.deploy.json.\n${comment} checksum ${digest(text).slice(0, 16)}\n${text}`;
}

/** Whose a file is: null where there is none, "ours", "changed" by hand after we wrote it, or "theirs". */
export function owner(file) {
  const text = read(file);
  if (text === null) return null;
  const match = /^(?:#|\/\/) Written by `gristmill deploy [^\n]*\n(?:#|\/\/) checksum ([0-9a-f]{16})\n/.exec(text);
  if (!match) return "theirs";
  return digest(text.slice(match[0].length)).slice(0, 16) === match[1] ? "ours" : "changed";
}

/** The lines NAME=value of a file; values may stand in quotes, as `supabase` and `wrangler` read them too. */
export function readEnv(file) {
  const found = {};
  for (const line of (read(file) ?? "").split("\n")) {
    const match = /^\s*([A-Z][A-Z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (match) found[match[1]] = match[2].replace(/^(["'])(.*)\1$/, "$2");
  }
  return found;
}

export const writeEnv = (values) => `${Object.entries(values).map(([name, value]) => `${name}=${value}`).join("\n")}\n`;

/**
 * The secrets of this deployment: those that are kept, those that the environment has, and new ones for what is missing and can be made. A secret that is
 * kept is never made again, because the platform and the database know it.
 */
export function secretsOf(folder, names, env) {
  const kept = readEnv(path.join(folder, SECRETS_FILE));
  const secrets = { ...kept };
  for (const name of names) {
    if (env[name]) secrets[name] = env[name];
    if (!secrets[name] && GENERATED[name]) secrets[name] = make(GENERATED[name]);
  }
  return { kept, secrets, missing: names.filter((name) => !secrets[name]) };
}

const make = (kind) => kind === "webhook" ? `whsec_${randomBytes(32).toString("base64")}` : randomBytes(32).toString("base64url");

/** .gitignore with a line for what holds secrets. What the user has there stays. */
export function ignoring(folder) {
  const text = read(path.join(folder, ".gitignore")) ?? "";
  if (text.split("\n").some((line) => [KEPT, `${KEPT}/`, `/${KEPT}`, `/${KEPT}/`].includes(line.trim()))) return text;
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}/${KEPT}/\n`;
}

/**
 * A TOML text with some values of some tables set, and everything else as it was, comments too. It is edited as text, because a writer of TOML would lose
 * comments and order; then it is parsed, and what came out must be what was meant.
 */
export function withTables(text, tables, name) {
  const before = parse(text);
  let edited = text;
  const added = [];
  for (const [header, values] of Object.entries(tables)) {
    const section = new RegExp(`^\\[\\s*${header.split(".").map((part) => `["']?${part}["']?`).join("\\s*\\.\\s*")}\\s*\\][^\\n]*\\n?`, "m").exec(edited);
    const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
    if (!section) {
      added.push(`[${header}]\n${lines.join("\n")}\n`);
      continue;
    }
    const begin = section.index + section[0].length;
    const length = edited.slice(begin).search(/^\s*\[/m);
    const end = length < 0 ? edited.length : begin + length;
    let body = edited.slice(begin, end);
    for (const [at, key] of Object.keys(values).entries()) {
      const line = new RegExp(`^(\\s*)${key}\\s*=\\s*[^#\\n]*?(\\s*#[^\\n]*)?$`, "m");
      body = line.test(body) ? body.replace(line, (_, space, comment = "") => `${space}${lines[at]}${comment}`) : `${lines[at]}\n${body}`;
    }
    edited = edited.slice(0, begin) + (section[0].endsWith("\n") ? "" : "\n") + body + edited.slice(end);
  }
  if (added.length > 0) edited = `${edited}${edited === "" || edited.endsWith("\n") ? "" : "\n"}${edited.trim() === "" ? "" : "\n"}${added.join("\n")}`;
  const wanted = structuredClone(before);
  for (const [header, values] of Object.entries(tables)) {
    Object.assign(header.split(".").reduce((table, part) => (table[part] ??= {}), wanted), values);
  }
  let after;
  try {
    after = parse(edited);
  } catch {
    after = null;
  }
  if (JSON.stringify(sorted(after)) !== JSON.stringify(sorted(wanted))) {
    const lines = Object.entries(tables).map(([header, values]) => `  [${header}] ${Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join(", ")}`);
    throw new Refusal(`${name} is written in a way that cannot be edited without losing something of it. Set these yourself:\n${lines.join("\n")}`);
  }
  return edited;
}

const sorted = (value) => Array.isArray(value) ? value.map(sorted)
  : value !== null && typeof value === "object" && !(value instanceof Date)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, item]) => [key, sorted(item)])) : value;
