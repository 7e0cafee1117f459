// A user of the release files: an empty folder, an empty home, and a PATH with Node and what is asked for. Prints a transcript with times.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { functionsDir, gristmill, root } from "../../sdk/local/stack/paths.mjs";
import { run, start } from "../project/harness.mjs";

/** Makes the release files in `folder`/release. */
export async function makeRelease(folder) {
  const release = path.join(folder, "release");
  // --allow-dirty: the tests also run before a change is committed. The binary is that of the tests: compiling for release takes a quarter of an hour.
  const { code, output } = await run(path.join(root, "scripts/release"),
    ["--out", release, "--binary", gristmill, "--functions", functionsDir, "--allow-dirty"], { cwd: os.tmpdir() });
  assert.equal(code, 0, output);
  console.log(output.split("\n").map((line) => `# ${line}`).join("\n"));
  return release;
}

/** The fenced blocks of a page: language, what follows it, and text. */
export const blocksOf = (page) => [...fs.readFileSync(path.join(root, page), "utf8").matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```/gm)]
  .map(([, language, note, text]) => ({ language, note, text }));

/** PATH of a machine with Node and nothing else of ours: the programs that npm and Postgres's start call are the system's. */
function barePath(home, programs) {
  const bin = path.join(home, "bin");
  fs.mkdirSync(bin, { recursive: true });
  for (const name of ["node", "npm", "npx", "sh", "cp", "env", ...programs]) {
    fs.symlinkSync(fs.realpathSync(execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim()), path.join(bin, name));
  }
  return bin;
}

export class User {
  /**
   * @param {string} home  a folder of the user's own
   * @param {{release: string, account?: {uid?: number, gid?: number}, programs?: string[], env?: Record<string, string>}} options
   *   programs: further ones on PATH; env: further variables
   */
  constructor(home, { release, account = {}, programs = [], env = {} }) {
    this.account = account;
    this.home = home;
    this.cwd = path.join(this.home, "work");
    fs.mkdirSync(this.cwd, { recursive: true });
    this.env = { HOME: path.join(this.home, "home"), PATH: barePath(this.home, programs), RELEASE: release, NO_COLOR: "1", ...env };
    fs.mkdirSync(this.env.HOME);
    if (account.uid !== undefined) for (const place of [this.home, this.cwd, this.env.HOME]) fs.chownSync(place, account.uid, account.gid);
    this.begun = performance.now();
  }

  get seconds() {
    return (performance.now() - this.begun) / 1000;
  }

  say(text) {
    console.log(text.trimEnd().split("\n").map((line) => `# [${this.seconds.toFixed(1).padStart(5)} s] ${line}`).join("\n"));
  }

  options() {
    return { cwd: this.cwd, env: this.env, ...this.account };
  }

  /** Runs a block in the folder where the last one ended. */
  async shell(text) {
    this.say(text.replace(/^(?=.)/gm, "$ "));
    const { code, output } = await run(path.join(this.env.PATH, "sh"), ["-ec", `${text}\necho "now in $PWD"`], this.options());
    this.say(output.replace(/^now in .*\n$/m, ""));
    assert.equal(code, 0, output);
    this.cwd = /^now in (.*)$/m.exec(output)[1];
    return output;
  }

  /** Starts a block that goes on, as in a terminal of its own, and waits until it says `text`. It leads a group of processes, which is ended as one. */
  async terminal(block, text) {
    this.say(`$ ${block}`);
    const running = start(path.join(this.env.PATH, "sh"), ["-c", /&&/.test(block) ? block : `exec ${block}`], { ...this.options(), detached: true });
    await running.says(text, 300_000);
    this.say(running.output);
    return running;
  }
}
