// A contender as the bench sees it: a database of its own, one producer process and one worker process.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import pg from "pg";

const PROCESS = fileURLToPath(new URL("process.mjs", import.meta.url));
const now = () => Number(process.hrtime.bigint()) / 1e9; // the clock of process.mjs

export class Contender {
  /**
   * @param {string} file  the module with its produce and work
   * @param {{name: string, unfinished: string}} module
   * @param {string} databaseUrl  where its jobs are
   * @param {object} target  what its client is given
   */
  constructor(file, module, databaseUrl, target) {
    Object.assign(this, { file, module, databaseUrl, target, name: module.name });
  }

  async open() {
    this.client = new pg.Client({ connectionString: this.databaseUrl });
    this.client.on("error", () => {});
    await this.client.connect();
    this.producer = await this.#process();
    this.worker = await this.#process();
  }

  async close() {
    for (const one of [this.producer, this.worker]) {
      if (!one || one.child.exitCode !== null) continue;
      const ended = once(one.child, "exit");
      one.child.disconnect();
      await ended;
    }
    await this.client?.end();
  }

  /** Enqueues `jobs` jobs, `single` of them by a call each, and works them off. Returns the jobs per second of these calls and of the work. */
  async round({ jobs, single = 0, inFlight = 1, work }) {
    await this.client.query("checkpoint"); // nobody pays for the pages that another has left dirty
    const { seconds } = await this.producer.call("produce", { jobs, single, inFlight });
    const waiting = await this.#unfinished();
    if (waiting !== jobs) throw new Error(`${this.name}: ${waiting} jobs wait, not ${jobs}`);
    const { begun } = await this.worker.call("work", { jobs, ...work });
    // A job counts when its completion is committed, which may be a moment after its code has run.
    while (await this.#unfinished() > 0);
    const worked = now() - begun;
    await this.worker.call("rest", {});
    return { enqueue: single / seconds, work: jobs / worked };
  }

  async #unfinished() {
    const { rows } = await this.client.query(this.module.unfinished);
    return rows[0].jobs;
  }

  async #process() {
    const child = fork(PROCESS, [this.file, JSON.stringify(this.target)], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const waiting = new Map();
    const ready = new Promise((resolve, reject) => waiting.set(0, { resolve, reject }));
    child.on("message", ({ id, result, error }) => {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error) reject(new Error(`${this.name}: ${error}`));
      else resolve(result);
    });
    child.on("exit", (code) => waiting.forEach(({ reject }) => reject(new Error(`a process of ${this.name} ended with ${code}`))));
    await ready;
    let last = 0;
    const call = (name, args) => new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      child.send({ id: last, call: name, args });
    });
    return { child, call };
  }
}
