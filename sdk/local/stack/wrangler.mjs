// wrangler.toml is the one list of functions; the local stack reads it instead of keeping its own.
import fs from "node:fs";
import path from "node:path";
import { parse } from "smol-toml";

import { functionsDir, functionsList } from "./paths.mjs";

/**
 * All functions, or those that `only` names, separated by commas. A further name of a function, such as audit-logger-v3 of audit, is an
 * environment whose `main` is the build of that function. It comes with its function, which it names as `of`.
 */
export function readFunctions(only) {
  const config = parse(fs.readFileSync(functionsList, "utf8"));
  const functions = Object.entries(config.env).map(([name, environment]) => ({
    name,
    of: path.basename(path.dirname(environment.main)),
    folder: path.join(functionsDir, path.basename(path.dirname(environment.main))),
    vars: environment.vars ?? {},
    buckets: Object.fromEntries((environment.r2_buckets ?? []).map((r2) => [r2.binding, r2.bucket_name])),
    crons: environment.triggers?.crons ?? [],
  }));
  const wanted = only?.split(",");
  return { shared: config, functions: functions.filter(({ name, of }) => !wanted || wanted.includes(name) || wanted.includes(of)) };
}

/** What has to run: one worker per build, with every name that it answers by. */
export function workersOf(functions) {
  return [...new Set(functions.map(({ of }) => of))].map((name) => {
    const named = functions.filter(({ of }) => of === name);
    // A function that is wanted under a further name alone has that one's variables.
    return { ...(named.find((one) => one.name === name) ?? named[0]), name, names: named.map((one) => one.name) };
  });
}
