// `gristmill console`: of the stack that runs in this project, or else of the deployment that the arguments and variables name.
import fs from "node:fs";
import path from "node:path";

/** The link of the stack that `gristmill dev` runs here, or null. The file is there as long as the stack runs. */
export function linkOfStack(from = process.cwd()) {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const file = path.join(folder, ".gristmill/dev.env");
    if (fs.existsSync(file)) return /^GRISTMILL_CONSOLE_LINK=(.*)$/m.exec(fs.readFileSync(file, "utf8"))?.[1] ?? null;
    if (path.dirname(folder) === folder) return null;
  }
}

/**
 * @param {string[]} args
 * @param {(args: string[]) => void} native  runs the binary in the place of this process
 */
export function main(args, native) {
  const isNamed = Boolean(process.env.SUPABASE_URL) || args.some((word) => /^(--url(=|$)|-h$|--help$)/.test(word));
  const link = isNamed ? null : linkOfStack();
  if (link === null) return native(["console", ...args]);
  console.log(`The stack of this project serves its console, signed in by this link:\n\n  ${link}\n\nFor a deployment: npx gristmill console --url https://PROJECT.supabase.co`);
}
