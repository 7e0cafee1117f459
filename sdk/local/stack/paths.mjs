// Where things are: the checkout, what was built in it, and what running stacks keep.
import { createHash } from "node:crypto";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
export const isRoot = process.getuid?.() === 0;

// Data of running stacks. As root it lies where the unprivileged user that runs Postgres can get at it;
// below /root it could not.
const stateHome = isRoot
  ? "/var/lib"
  : (process.env.XDG_STATE_HOME ?? path.join(os.homedir(), ".local/state"));
export const stateRoot = process.env.GRISTMILL_STATE ?? path.join(stateHome, "gristmill");

// What scripts/setup has downloaded; scripts/lib/common.sh says the same.
export const cacheRoot = process.env.GRISTMILL_CACHE ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), ".cache"), "gristmill");

// Each checkout has its own folder, so two clones never share a database.
const checkout = createHash("sha256").update(root).digest("hex").slice(0, 8);
export const checkoutState = path.join(stateRoot, `${path.basename(root)}-${checkout}`);

export const targetDir = process.env.CARGO_TARGET_DIR ?? path.join(root, "target");
export const gristmill = process.env.GRISTMILL_BIN ?? path.join(targetDir, "quick/gristmill");
// ./scripts/dev compiles in less time than the tests do, and runs that: scripts/lib/dev/choose.mjs.
export const functionsDir = process.env.GRISTMILL_FUNCTIONS_DIR ?? path.join(root, "build/functions");
