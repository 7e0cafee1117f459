// The calls that functions and container workers of a release make: read out of the only place that spells them, kept as data with the
// release, and looked up in later schemas. Programs of release N go on calling while the database is at N + 1.
import fs from "node:fs";
import path from "node:path";

import { root } from "../../sdk/local/stack/paths.mjs";

// Functions and workers call Postgres through these alone.
const FOLDERS = ["shared/rpc/src", "sdk/rust/gristmill/src/client"];
const TYPES = ["shared/core/src/job.rs", "shared/core/src/export.rs", "sdk/rust/gristmill/src/job.rs"];
const filesIn = (folder) => fs.readdirSync(path.join(root, folder)).filter((name) => name.endsWith(".rs")).map((name) => `${folder}/${name}`);
const texts = (files) => files.map((name) => fs.readFileSync(path.join(root, name), "utf8").replace(/^\s*\/\/.*$/gm, ""));

const argumentsIn = (text) => text.match(/\bp_[a-z0-9_]+/g) ?? [];

/** What each struct of a module sends, by its name. Structs within a function are read with the function. */
function structs(texts) {
  const found = new Map();
  for (const text of texts) {
    for (const [, name, body] of text.matchAll(/^(?:pub(?:\(\w+\))? )?struct (\w+)[^{;]*\{\n([\s\S]*?)^\}/gm)) {
      if (argumentsIn(body).length > 0) found.set(name, argumentsIn(body));
    }
  }
  return found;
}

/** Every call, as [{function, arguments}], sorted. */
export function callsOfThisCheckout() {
  const calls = new Map();
  for (const text of texts(FOLDERS.flatMap(filesIn))) {
    const known = structs([...texts(TYPES), text]); // modules have types of equal names
    for (const body of text.split(/^ {4}(?:pub(?:\(\w+\))? )?(?:async )?fn /gm).slice(1).map((text) => text.split(/^ {4}\}$/m)[0])) {
      const literals = [...body.matchAll(/\.(?:call|call_as|call_again|call_dated|create)\(\s*(?:holder,\s*)?"(\w+)"/g)];
      const chosen = /\.call\(function,/.test(body) ? [...body.matchAll(/=> "(\w+)"/g)] : [];
      for (const [, name] of [...literals, ...chosen]) {
        const types = (body.match(/\b[A-Z]\w+/g) ?? []).flatMap((type) => known.get(type) ?? []);
        const call = { function: name, arguments: [...new Set([...argumentsIn(body), ...types])].sort() };
        calls.set(JSON.stringify(call), call);
      }
    }
  }
  return [...calls.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, call]) => call);
}

const FUNCTIONS = `
  select p.proname as function, coalesce(p.proargnames, '{}') as names, p.pronargs as count, p.pronargdefaults as defaults,
    array(select r from unnest(array['anon', 'authenticated', 'service_role']) r where has_function_privilege(r, p.oid, 'execute')) as roles
  from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname = any ($1)`;

/** The functions of these names in a database: what each takes and who may call it. */
async function functionsOf(client, calls) {
  const { rows } = await client.query(FUNCTIONS, [calls.map((call) => call.function)]);
  return rows.map(({ function: name, names, count, defaults, roles }) => ({ name, takes: names.slice(0, count), needs: names.slice(0, count - defaults), roles }));
}

/** The calls with the roles that may make them in this database. */
export async function withRoles(client, calls) {
  const functions = await functionsOf(client, calls);
  return calls.map((call) => ({ ...call, roles: functions.find(({ name }) => name === call.function)?.roles ?? [] }));
}

/** One sentence for each call that this database would refuse. */
export async function refusals(client, calls) {
  const functions = await functionsOf(client, calls);
  return calls.flatMap((call) => {
    const [found, ...more] = functions.filter(({ name }) => name === call.function);
    const says = (text) => `${call.function}(${call.arguments.join(", ")}): ${text}`;
    if (!found) return [says("there is no such function")];
    if (more.length > 0) return [says("there are several functions of this name")];
    return [
      ...call.arguments.filter((name) => !found.takes.includes(name)).map((name) => says(`it takes no ${name}`)),
      ...found.needs.filter((name) => !call.arguments.includes(name)).map((name) => says(`it needs ${name}`)),
      ...call.roles.filter((role) => !found.roles.includes(role)).map((role) => says(`${role} may not call it`)),
    ];
  });
}

/** As text: one call per line, so that a change shows in review. */
export const written = (calls) => `[\n${calls.map((call) => `  ${JSON.stringify(call)}`).join(",\n")}\n]\n`;
