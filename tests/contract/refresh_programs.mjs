// The programs of refresh as processes: what they fetch from, and how they are started, watched and killed.
import { spawn } from "node:child_process";
import http from "node:http";

import { until } from "../support.mjs";
import { programFile } from "./program_file.mjs";

/** The API that the user's processor fetches from. It counts calls, and holds those of some symbols. */
export class Api {
  static async start() {
    const api = new Api();
    Object.assign(api, { calls: [], held: new Map(), broken: new Set() });
    api.server = http.createServer(async (request, response) => {
      const symbol = new URL(request.url, "http://x").searchParams.get("symbol");
      api.calls.push(symbol);
      if (api.held.has(symbol)) await api.held.get(symbol);
      response.writeHead(api.broken.has(symbol) ? 500 : 200).end(JSON.stringify({ symbol, eps: 1.25 }));
    });
    await new Promise((resolve) => api.server.listen(0, "127.0.0.1", resolve));
    api.url = `http://127.0.0.1:${api.server.address().port}/`;
    return api;
  }

  /** Holds the calls for a symbol; the answer lets them go. */
  hold(symbol) {
    let release;
    this.held.set(symbol, new Promise((resolve) => { release = resolve; }));
    return () => {
      this.held.delete(symbol);
      release();
    };
  }
}

const programs = new Set();

/** Starts a program of programs/ against a stack. It says one JSON object per line; `of` gives what it said under a key. */
export function start(stack, name, env) {
  const child = spawn(process.execPath, [programFile(name)], {
    env: { PATH: process.env.PATH, SUPABASE_URL: stack.url, SUPABASE_ANON_KEY: stack.anonKey, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const program = { child, said: [], complaints: "" };
  let rest = "";
  child.stdout.on("data", (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop();
    program.said.push(...lines.map((line) => JSON.parse(line)));
  });
  child.stderr.on("data", (data) => { program.complaints += data; });
  program.ended = new Promise((resolve) => child.once("exit", (code, signal) => {
    programs.delete(program);
    resolve(code ?? signal);
  }));
  program.of = (key) => program.said.filter((line) => key in line).map((line) => line[key]);
  program.says = (key, at = 1) => until(() => {
    if (program.child.exitCode !== null && program.of(key).length < at) throw new Error(`${name} ended: ${program.complaints}`);
    return program.of(key).length >= at && program.of(key);
  }, `${name} saying ${key} (${program.complaints})`, 30_000);
  programs.add(program);
  return program;
}

/** Kills every program that still runs. */
export function killPrograms() {
  for (const { child } of programs) child.kill("SIGKILL");
}
