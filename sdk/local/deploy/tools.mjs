// Programs that the command calls: found in the project or on PATH, shown before they run, and never given a secret as an argument.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/** Where a program is: in node_modules/.bin of the folder or of one above it, or on PATH; null where nobody has it. */
export function find(name, folder, env) {
  const places = [];
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    places.push(path.join(at, "node_modules/.bin"));
    if (at === path.dirname(at)) break;
  }
  for (const place of [...places, ...(env.PATH ?? "").split(path.delimiter)]) {
    const file = path.join(place, name);
    try {
      fs.accessSync(file, fs.constants.X_OK);
      if (fs.statSync(file).isFile()) return file;
    } catch {
      // not here
    }
  }
  return null;
}

export class Tools {
  /** @param {{folder: string, env: object, say: (line: string) => void, isDry?: boolean}} options */
  constructor({ folder, env, say, isDry = false }) {
    Object.assign(this, { folder, env, say, isDry });
  }

  /** Asks something that changes nothing: exit code and output, whatever they are. `name` may also be the path of a program. */
  ask(name, args, { seconds = 60 } = {}) {
    return this.#start(name, args, { seconds, stdio: ["ignore", "pipe", "pipe"] });
  }

  /** Shows a command and runs it before the user's eyes. A dry run only shows it. Answers the exit code. */
  async run(name, args, { env = {}, shown = name } = {}) {
    this.say(`$ ${[shown, ...args].map(quoted).join(" ")}`);
    if (this.isDry) return 0;
    const { code } = await this.#start(name, args, { env, stdio: ["ignore", "inherit", "inherit"] });
    return code;
  }

  #start(name, args, { env = {}, stdio, seconds }) {
    const file = path.isAbsolute(name) ? name : find(name, this.folder, this.env);
    if (!file) return { code: 127, output: `${name} was not found` };
    return new Promise((resolve) => {
      // CI makes wrangler ask nothing: what it would ask has an answer that changes nothing.
      const child = spawn(file, args, { cwd: this.folder, env: { ...this.env, CI: "1", WRANGLER_SEND_METRICS: "false", ...env }, stdio,
        ...(seconds && { timeout: seconds * 1000 }) });
      let [output, errors] = ["", ""];
      child.stdout?.on("data", (chunk) => (output += chunk));
      child.stderr?.on("data", (chunk) => (errors += chunk));
      child.on("error", (error) => resolve({ code: 126, output: error.message, errors: "" }));
      child.on("close", (code) => resolve({ code: code ?? 1, output, errors }));
    });
  }
}

const quoted = (word) => /^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
