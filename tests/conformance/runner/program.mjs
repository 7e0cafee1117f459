// A program under test: its environment, its process, what it writes.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { freePorts, isListening } from "../../../sdk/local/stack/ports.mjs";
import { root } from "../../../sdk/local/stack/paths.mjs";
import { until } from "../../support.mjs";

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
    // A group of its own: what it starts itself, such as workerd, ends with it.
    this.process = spawn(command, args, { cwd: this.adapter.folder, env: { ...process.env, ...this.adapter.env, ...this.env }, stdio: ["ignore", "pipe", "pipe"], detached: true });
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

  signal(name) {
    this.process.kill(name);
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
