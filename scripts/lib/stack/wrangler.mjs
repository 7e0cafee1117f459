// wrangler.toml is the one list of functions; the local stack reads it instead of keeping its own.
import fs from "node:fs";
import path from "node:path";
import { parse } from "smol-toml";

import { functionsDir, root } from "./paths.mjs";

/** All functions, or those that `only` names, separated by commas. */
export function readFunctions(only) {
  const config = parse(fs.readFileSync(path.join(root, "wrangler.toml"), "utf8"));
  const functions = Object.entries(config.env).map(([name, environment]) => ({
    name,
    // Two names may share one build.
    folder: path.join(functionsDir, path.basename(path.dirname(environment.main))),
    vars: environment.vars ?? {},
    buckets: Object.fromEntries((environment.r2_buckets ?? []).map((r2) => [r2.binding, r2.bucket_name])),
    crons: environment.triggers?.crons ?? [],
  }));
  const wanted = only?.split(",");
  return { shared: config, functions: functions.filter(({ name }) => !wanted || wanted.includes(name)) };
}
