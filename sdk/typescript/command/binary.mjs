// Where the native binary is: in the optional package of this platform, or where GRISTMILL_BIN says.
import { createRequire } from "node:module";
import process from "node:process";

/** `{path}`, or `{missing}`: a sentence that says what to do. */
export function binary(env = process.env, { platform, arch } = process) {
  if (env.GRISTMILL_BIN) return { path: env.GRISTMILL_BIN };
  const name = `@gristmill/${platform}-${arch}`;
  try {
    return { path: createRequire(import.meta.url).resolve(`${name}/bin/gristmill`) };
  } catch {
    return {
      missing: `the package ${name} is not installed. npm leaves out an optional package without a word when it cannot get it: ` +
        `install it by name (npm install ${name}), or set GRISTMILL_BIN to a binary that you built.`,
    };
  }
}
