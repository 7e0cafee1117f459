// A program under test: its environment, its process, what it writes.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { freePorts, isListening } from "../../../sdk/local/stack/ports.mjs";
import { root } from "../../../sdk/local/stack/paths.mjs";
import { until } from "../../support.mjs";
import { fill } from "./match.mjs";

export class Program {
  constructor(adapter, env) {
    const missing = adapter.built.filter((file) => !fs.existsSync(file));
    if (missing.length > 0) throw new Error(`${adapter.column} is not built: ${missing.map((file) => path.relative(root, file)).join(", ")}`);
    this.adapter = adapter;
    this.env = env;
    this.output = "";
  }

  get hasEnded() {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  start() {
    const [command, ...args] = this.adapter.command;
    const own = fill(this.adapter.env, this.env);
    // A group of its own: what it starts itself, such as workerd, ends with it.
    this.process = spawn(command, args, { cwd: this.adapter.folder, env: { ...process.env, ...own, ...this.env }, stdio: ["ignore", "pipe", "pipe"], detached: true });
    this.failure = null;
    this.process.once("error", (error) => { this.failure = error; });
    for (const stream of [this.process.stdout, this.process.stderr]) stream.setEncoding("utf8").on("data", (text) => { this.output += text; });
    this.ended = new Promise((resolve) => this.process.once("close", resolve));
    return this;
  }

  /** Starts a server and waits until it takes requests. */
  static async serve(adapter, env) {
    const [port] = await freePorts(1);
    const program = new Program(adapter, { ...env, PORT: String(port) }).start();
    program.url = `http://127.0.0.1:${port}${adapter.path}`;
    await until(() => {
      if (program.failure || program.hasEnded) throw new Error(`${adapter.column} did not start: ${program.failure ?? program.output.slice(-2000)}`);
      return isListening(port);
    }, `${adapter.column} taking requests`, 60_000);
    return program;
  }

  /** Sends a signal, and waits until the program has taken note of it: none is pending, and every thread rests again. */
  async signal(name) {
    this.process.kill(name);
    await until(() => this.hasEnded || isResting(this.process.pid), `${this.adapter.column} taking note of ${name}`, 20_000);
  }

  /** Ends it and all that it has started, at once. */
  async end() {
    if (!this.process || this.failure) return;
    try {
      process.kill(-this.process.pid, "SIGKILL");
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
    await this.ended;
  }
}

// As Linux tells it. Elsewhere nothing is known, and the signal is as good as noted.
function isResting(pid) {
  const folder = `/proc/${pid}/task`;
  if (!fs.existsSync("/proc/self/task")) return true;
  try {
    return fs.readdirSync(folder).every((thread) => {
      const status = fs.readFileSync(`${folder}/${thread}/status`, "utf8");
      return /^State:\s+S/m.test(status) && /^ShdPnd:\s+0+$/m.test(status) && /^SigPnd:\s+0+$/m.test(status);
    });
  } catch {
    return false; // a thread has just ended; look again
  }
}
