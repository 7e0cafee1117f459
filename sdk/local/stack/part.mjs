// One supervised process of the stack: started in a process group of its own, logged to a file of its
// own, stopped by id. Nothing else on the machine is ever signalled.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export class PartFailed extends Error {
  constructor(part, what) {
    super(`${part.name} ${what}\n  log: ${part.log}\n${lastLines(part.log)}`);
    this.name = "PartFailed";
  }
}

export class Part {
  /**
   * @param {string} name
   * @param {{command: string, args: string[], env?: object, cwd?: string, uid?: number, gid?: number,
   *          logDir: string, isReady: () => Promise<boolean>, stopSignal?: string, patience?: number}} options
   */
  constructor(name, options) {
    this.name = name;
    this.options = options;
    this.log = path.join(options.logDir, `${name}.log`);
    this.process = null;
  }

  get pid() {
    return this.process?.pid;
  }

  get isRunning() {
    return this.process !== null && this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Starts the process and waits until it is ready. */
  async start() {
    const { command, args, env, cwd, uid, gid, isReady, patience = 120_000 } = this.options;
    await this.#waitForPredecessor();
    const log = fs.openSync(this.log, "a");
    // detached: Ctrl-C in the terminal reaches the supervisor alone, which stops the parts in order.
    this.process = spawn(command, args, {
      env: { ...process.env, ...env }, cwd, uid, gid, detached: true, stdio: ["ignore", log, log],
    });
    fs.closeSync(log);
    let failure = null;
    this.process.once("error", (error) => (failure = error));

    const deadline = Date.now() + patience;
    while (!(await isReady())) {
      if (failure) throw new PartFailed(this, `could not be started: ${failure.message}`);
      if (!this.isRunning) throw new PartFailed(this, `ended while starting (${this.ending})`);
      if (Date.now() > deadline) throw new PartFailed(this, `was not ready after ${patience / 1000} s`);
      await sleep(20);
    }
    return this;
  }

  // What was stopped or killed at this address may answer for a moment more, through a child that ends after it. It must not be taken for this process.
  async #waitForPredecessor() {
    const deadline = Date.now() + 5_000;
    while ((await this.options.isReady()) && Date.now() < deadline) await sleep(20);
  }

  get ending() {
    return this.process.signalCode ?? `exit code ${this.process.exitCode}`;
  }

  /** Asks it to stop, and ends its whole group when it does not. */
  async stop(signal = this.options.stopSignal ?? "SIGTERM") {
    if (!this.isRunning) return;
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill(signal);
    const timeout = sleep(10_000, "late", { ref: false });
    if ((await Promise.race([ended, timeout])) === "late") await this.kill();
  }

  /** Ends it and whatever it started at once, as a crash would. */
  async kill() {
    if (!this.isRunning) return;
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    process.kill(-this.process.pid, "SIGKILL");
    await ended;
  }
}

function lastLines(file, count = 15) {
  if (!fs.existsSync(file)) return "";
  return fs.readFileSync(file, "utf8").trimEnd().split("\n").slice(-count).map((line) => `  | ${line}`).join("\n");
}
