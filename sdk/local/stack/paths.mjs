// Where things are. The same files run in a checkout and, as the npm package @gristmill/local, in a user's project.
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { isReachable, isRoot } from "./account.mjs";

export { isRoot };

/** The package: sdk/local in a checkout. */
const home = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
/** A release puts the functions into the package. */
export const isInstalled = fs.existsSync(path.join(home, "functions"));
/** The checkout; where there is none, the package. */
export const root = isInstalled ? home : path.resolve(home, "../..");

/** The folder of the user's project: `gristmill dev` and `gristmill test` set it, and every process of their stacks inherits it. */
export const project = process.env.GRISTMILL_PROJECT;

// Data of running stacks. As root it lies where the unprivileged user that runs Postgres can get at it; below /root it could not.
const stateHome = isRoot
  ? "/var/lib"
  : (process.env.XDG_STATE_HOME ?? path.join(os.homedir(), ".local/state"));
const inProject = project && !process.env.GRISTMILL_STATE && (!isRoot || isReachable(project)) ? path.join(project, ".gristmill") : null;
export const stateRoot = inProject ?? process.env.GRISTMILL_STATE ?? path.join(stateHome, "gristmill");

/** Each checkout and each project has its own folder, so two never share a database. */
const owner = project ?? root;
const named = `${path.basename(owner)}-${createHash("sha256").update(owner).digest("hex").slice(0, 8)}`;
export const checkoutState = inProject ?? path.join(stateRoot, named);

// What scripts/setup has downloaded; scripts/lib/common.sh says the same.
export const cacheRoot = process.env.GRISTMILL_CACHE ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), ".cache"), "gristmill");

export const targetDir = process.env.CARGO_TARGET_DIR ?? path.join(root, "target");
// In a project the command says where it is: it comes as a package of its own.
export const gristmill = process.env.GRISTMILL_BIN ?? path.join(targetDir, "quick/gristmill");
// ./scripts/dev compiles in less time than the tests do, and runs that: scripts/lib/dev/choose.mjs.
export const functionsDir = process.env.GRISTMILL_FUNCTIONS_DIR ?? path.join(root, isInstalled ? "functions" : "build/functions");
/** The one list of functions. */
export const functionsList = path.join(root, "wrangler.toml");
