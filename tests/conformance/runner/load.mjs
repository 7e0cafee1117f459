// Reads scenarios and adapters, and refuses those that do not fit their JSON Schemas.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import Ajv from "ajv/dist/2020.js";

import { functionsDir, gristmill, root, targetDir } from "../../../sdk/local/stack/paths.mjs";

export const home = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
const readJson = (file) => JSON.parse(fs.readFileSync(file, "utf8"));

function checked(schema, file) {
  const validate = ajv.getSchema(schema) ?? ajv.compile({ $id: schema, ...readJson(path.join(home, schema)) });
  const value = readJson(file);
  if (!validate(value)) throw new Error(`${path.relative(root, file)} does not fit ${schema}: ${ajv.errorsText(validate.errors)}`);
  return value;
}

/** All scenarios, in the order of the files. `does` of each lists the instructions that its jobs need. */
export function readScenarios() {
  const folder = path.join(home, "scenarios");
  return fs.readdirSync(folder).filter((file) => file.endsWith(".json")).sort().flatMap((file) => {
    const { rule, scenarios } = checked("scenario.schema.json", path.join(folder, file));
    return scenarios.map((scenario) => ({ rule, file, ...scenario, does: instructions(scenario) }));
  });
}

/** The payload of a job as an object, also where the scenario gives it as text. */
export const payloadOf = (job) => job.payload ?? JSON.parse(job.payload_json);

function instructions({ jobs = {}, steps }) {
  const all = [jobs, ...steps.map(({ enqueue = {} }) => enqueue)].flatMap((some) => Object.values(some));
  return [...new Set(all.filter(({ kind = "conform" }) => kind !== "conform_unknown").map((job) => (job.kind === "conform_two" ? "second_kind" : payloadOf(job).do)))];
}

const VARIABLES = {
  root, gristmill, functions: functionsDir, target: targetDir, node: process.execPath, deno: path.join(root, "node_modules/.bin/deno"),
};
const filled = (text) => text.replace(/\$\{(\w+)\}/g, (_, name) => {
  if (!(name in VARIABLES)) throw new Error(`there is no variable ${name}`);
  return VARIABLES[name];
});

/** All adapters: the file adapter.json of a folder, or several NAME.adapter.json. */
export function readAdapters() {
  const folder = path.join(home, "adapters");
  return fs.readdirSync(folder).filter((name) => !name.startsWith(".")).sort().flatMap((name) => fs.readdirSync(path.join(folder, name)).filter((file) => file.endsWith("adapter.json")).sort().map((file) => {
    const adapter = checked("adapter.schema.json", path.join(folder, name, file));
    return {
      path: "/", lacks: {}, built: [], env: {}, ...adapter, name: [name, file.replace(/\.?adapter\.json$/, "")].filter(Boolean).join("-"), folder: path.join(folder, name),
      command: adapter.command.map(filled), built: (adapter.built ?? []).map(filled),
    };
  }));
}

/** Why this scenario is not for this adapter; null when it is. */
export function reasonToSkip(scenario, adapter) {
  if (!scenario.modes.includes(adapter.mode)) return { other: true, reason: `is about ${scenario.modes.join(", ")}` };
  for (const need of [...(scenario.needs ?? []), ...scenario.does]) {
    if (need === "handler" && adapter.does) return { reason: "its kinds are fixed" };
    if (adapter.lacks[need]) return { reason: adapter.lacks[need] };
    if (adapter.does && scenario.does.includes(need) && !adapter.does[need]) return { reason: `none of its kinds can do "${need}"` };
  }
  if (adapter.does && scenario.faults?.some(({ jobs }) => jobs)) return { reason: "jobs that a fault makes up are of the kind conform" };
  return null;
}
