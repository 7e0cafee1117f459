// The commands that ./scripts/dev runs side by side: what each waits for, how far each is, and how long each took.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { cacheRoot, root } from "../../../sdk/local/stack/paths.mjs";
import { drawn, ofLog } from "./progress.mjs";

const WIDTH = 14; // of names in front of lines

/** A stage that did not do its work. Its message says which, why, and what to do. */
export class StageFailed extends Error {
  constructor({ name, message, mend }, ending, said) {
    const words = said.trimEnd().split("\n").map((line) => `  ${line}`).join("\n");
    super(`${name}: '${message}' failed (${ending})\n${words}\n  what to do: ${mend}`);
    this.name = "StageFailed";
  }
}

export class Stages {
  #started = performance.now();
  #running = new Set();
  #shown = 0; // how many characters the line has that is rewritten
  #ended = false;
  #ticking = null;
  /** Of each stage that has ended: name, from, to (seconds since the start), cpu (seconds). */
  times = [];

  /** @param {{terminal?: boolean, every?: number, write?: (text: string) => void}} [options]  every: seconds between two lines where there is no terminal */
  constructor({ terminal = process.stdout.isTTY, every = 20, write = (text) => process.stdout.write(text) } = {}) {
    Object.assign(this, { terminal, every, write });
  }

  get seconds() {
    return (performance.now() - this.#started) / 1000;
  }

  /**
   * Runs a command after others have ended. Output goes to the logs of its steps; what it says itself is shown when it fails.
   * @param {string} name
   * @param {{message: string, command: string[], after?: Promise[], mend: string, log?: string, env?: object}} stage
   *   log: the step whose log tells how far it is, where that has another name
   */
  async run(name, { message, command, after = [], mend, log = name, env = {} }) {
    await Promise.all(after);
    if (this.#ended) throw new Error("stopped");
    const stage = { name, message, mend, from: this.seconds, log: path.join(cacheRoot, "logs", `${log}.log`), said: "", announced: false };
    const times = path.join(os.tmpdir(), `gristmill-times-${process.pid}-${name}`);
    // The log of an earlier run would tell how far that one was.
    fs.rmSync(stage.log, { force: true });
    // detached: a process group of its own, which can be ended with all that it has started.
    stage.process = spawn(command[0], command.slice(1), {
      cwd: root, detached: true, stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...drawn, ...env, GRISTMILL_STEPS: "nested", GRISTMILL_TIMES: times },
    });
    for (const stream of [stage.process.stdout, stage.process.stderr]) stream.on("data", (chunk) => (stage.said += chunk));
    stage.ending = new Promise((resolve) => {
      stage.process.once("error", (error) => resolve(error.message));
      stage.process.once("close", (code, signal) => resolve(signal ?? (code === 0 ? null : `exit ${code}`)));
    });
    this.#running.add(stage);
    this.#ticking ??= this.#tick();
    const ending = await stage.ending;
    this.#running.delete(stage);
    const to = this.seconds;
    this.times.push({ name, from: stage.from, to, cpu: cpuSeconds(times) });
    if (this.#ended) throw new Error("stopped");
    if (ending) throw new StageFailed(stage, ending, stage.said);
    if (stage.announced) this.say(`  ${name.padEnd(WIDTH)} done in ${Math.round(to - stage.from)} s`);
  }

  /** Prints a line, above the one that is rewritten. */
  say(line) {
    this.#clear();
    this.write(`${line}\n`);
  }

  /** Ends what still runs, and waits until it is gone. Nothing starts any more. */
  async end() {
    this.#ended = true;
    this.#clear();
    const groups = [...this.#running].map((stage) => stage.process.pid).filter(Boolean);
    for (const group of groups) signal(group, "SIGTERM");
    // The script of a stage is gone before its compilers are, so the whole group is waited for.
    const started = performance.now();
    for (let left; (left = groups.filter(isThere)).length > 0; await sleep(20)) {
      const seconds = (performance.now() - started) / 1000;
      if (seconds > 15) return this.say(`processes of the groups ${left.join(", ")} do not end; see ps -eo pgid,pid,args`);
      if (seconds > 5) for (const group of left) signal(group, "SIGKILL");
    }
  }

  // What ends at once stays silent: a stage is announced after a second and a half. One whose log is empty may only be looking whether
  // there is something to do, for a while on a busy machine, and is given five seconds.
  async #tick() {
    for (let last = this.seconds; this.#running.size > 0 && !this.#ended; await sleep(250)) {
      const long = [...this.#running].filter((stage) => this.seconds - stage.from > (stage.announced || hasLog(stage) ? 1.5 : 5));
      for (const stage of long.filter((one) => !one.announced)) {
        stage.announced = true;
        this.say(`  ${stage.name.padEnd(WIDTH)} ${stage.message} …`);
      }
      const tell = (stage) => {
        const seconds = Math.round(this.seconds - stage.from);
        return `${stage.name} ${ofLog(stage.log, seconds) ?? `${seconds} s`}`;
      };
      if (this.terminal) this.#rewrite(long.map(tell).join(" · "));
      else if (this.seconds - last >= this.every) {
        last = this.seconds;
        for (const stage of long) this.say(`  ${"".padEnd(WIDTH)} ${tell(stage)}`);
      }
    }
    this.#clear();
    this.#ticking = null;
  }

  #rewrite(text) {
    // A line that is broken in two could not be rewritten.
    const line = `  ${text}`.slice(0, (process.stdout.columns ?? 80) - 1);
    this.#clear();
    this.write(line);
    this.#shown = line.length;
  }

  #clear() {
    if (this.#shown > 0) this.write("\r\x1b[K");
    this.#shown = 0;
  }
}

const hasLog = ({ log }) => (fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0;

function signal(group, name) {
  try {
    process.kill(-group, name);
  } catch {
    // The group has ended in between.
  }
}

function isThere(group) {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

// bash's `times`: the second line has user and system time of everything that the script has waited for.
function cpuSeconds(file) {
  try {
    const [, children] = fs.readFileSync(file, "utf8").split("\n");
    return children.split(" ").reduce((sum, part) => {
      const [, minutes, seconds] = /(\d+)m([\d.]+)s/.exec(part);
      return sum + Number(minutes) * 60 + Number(seconds);
    }, 0);
  } catch {
    return null; // ended before it could be written
  } finally {
    fs.rmSync(file, { force: true });
  }
}

/** The table of where the time goes. `events`: moments to be told in between, as {name, to}. */
export function table(times, events = []) {
  const lines = [...times, ...events].sort((a, b) => a.to - b.to).map(({ name, from, to, cpu }) =>
    from === undefined
      ? `  ${name.padEnd(20)} ${"".padStart(8)} ${"".padStart(8)} ${to.toFixed(0).padStart(8)}`
      : `  ${name.padEnd(20)} ${(to - from).toFixed(0).padStart(8)} ${(cpu === null ? "" : cpu.toFixed(0)).padStart(8)} ${to.toFixed(0).padStart(8)}`);
  return [`  ${"step".padEnd(20)} ${"seconds".padStart(8)} ${"CPU".padStart(8)} ${"ended at".padStart(8)}`, ...lines].join("\n");
}
