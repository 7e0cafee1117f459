// Commands of the guides, run as they stand there.
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

import { gristmill, root } from "../../sdk/local/stack/paths.mjs";
import { debianTool } from "../../sdk/local/stack/postgres.mjs";

const run = promisify(execFile);

/** The commands of a section of a guide, one text per block. */
export function commandsOf(page, heading) {
  const section = fs.readFileSync(path.join(root, "docs", page), "utf8").split(/^## /m).find((part) => part.startsWith(heading));
  return [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map((match) => match[1].replace(/^ +/gm, "").trim());
}

/** Runs one of them in a folder. It never throws: {code, stdout, stderr}. */
export async function runIn(cwd, command, env) {
  const PATH = `${path.dirname(gristmill)}:${path.dirname(debianTool("psql"))}:${process.env.PATH}`;
  try {
    return { code: 0, ...await run("bash", ["-euc", command], { cwd, env: { ...process.env, PATH, ...env }, maxBuffer: 1 << 26 }) };
  } catch (error) {
    if (typeof error.code !== "number") throw error;
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}
