// a trivial RPC at 50 connections, beside pgbench making the same call on the same Postgres
// needs: native
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { Stack } from "../../../sdk/local/stack/stack.mjs";

const run = promisify(execFile);
const CONNECTIONS = 50;
const SECONDS = 5;
const ROUNDS = 3;
const PROTOTYPE = 5576; // requests a second of the prototype, measured on an idle machine of this size
const MEMORY_LIMIT_MB = 50;

export default async function* measure({ progress }) {
  const stack = new Stack(`bench-gateway-${process.pid}`, { parts: ["gateway"], onStep: (part) => progress(`starting ${part}`) });
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-bench-"));
  try {
    await stack.start();
    await stack.postgres.query(`create function public.one() returns int language sql as 'select 1';
      grant execute on function public.one() to anon; notify pgrst, 'reload schema'`);
    // The two take turns, so that a busy machine is busy for both; the middle round counts.
    const gateway = [];
    const pgbench = { simple: [], prepared: [] };
    await wrk(stack, scratch, 1); // connections are opened, statements prepared
    for (let round = 1; round <= ROUNDS; round++) {
      progress(`round ${round} of ${ROUNDS}: pgbench`);
      pgbench.simple.push(await runPgbench(stack, scratch, "simple"));
      pgbench.prepared.push(await runPgbench(stack, scratch, "prepared"));
      progress(`round ${round} of ${ROUNDS}: gateway`);
      gateway.push(await wrk(stack, scratch, SECONDS));
    }
    const middle = (list, by = (value) => value) => list.sort((a, b) => by(a) - by(b))[Math.floor(ROUNDS / 2)];
    const direct = { simple: middle(pgbench.simple), prepared: middle(pgbench.prepared) };
    const through = middle(gateway, (result) => result.rate);
    const memory = residentMegabytes(stack.parts.gateway.pid);
    yield { metric: "pgbench", value: direct.simple, unit: "calls/s" };
    yield { metric: "pgbench, prepared", value: direct.prepared, unit: "calls/s" };
    yield { metric: "gateway", value: through.rate, unit: "calls/s", peer: "pgbench", ratio: through.rate / direct.simple };
    yield { metric: "gateway", value: through.rate, unit: "calls/s", peer: "pgbench, prepared", ratio: through.rate / direct.prepared };
    yield { metric: "gateway", value: through.rate, unit: "calls/s", peer: `prototype ${PROTOTYPE}`, ratio: through.rate / PROTOTYPE };
    yield { metric: "gateway p50", value: through.p50, unit: "ms" };
    yield { metric: "gateway p99", value: through.p99, unit: "ms" };
    yield { metric: "gateway memory", value: memory, unit: "MB", peer: `limit ${MEMORY_LIMIT_MB} MB`, ratio: memory / MEMORY_LIMIT_MB };
  } finally {
    progress("stopping");
    await stack.destroy();
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

async function wrk(stack, scratch, seconds) {
  const script = path.join(scratch, "call.lua");
  fs.writeFileSync(script, 'wrk.method = "POST"\nwrk.body = "{}"\nwrk.headers["content-type"] = "application/json"\n');
  const { stdout } = await run("wrk", ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "--latency", "-s", script, `${stack.url}/rest/v1/rpc/one`]);
  const failures = /Non-2xx or 3xx responses: (\d+)/.exec(stdout);
  if (failures) throw new Error(`the gateway refused ${failures[1]} calls`);
  return { rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)[1]), p50: latency(stdout, "50%"), p99: latency(stdout, "99%") };
}

function latency(stdout, share) {
  const [, value, unit] = new RegExp(`${share}\\s+([\\d.]+)(us|ms|s)`).exec(stdout);
  return Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit];
}

async function runPgbench(stack, scratch, mode) {
  const script = path.join(scratch, "call.sql");
  fs.writeFileSync(script, "select public.one();\n");
  const { stdout } = await run("/usr/lib/postgresql/15/bin/pgbench", [
    "-n", "-M", mode, "-c", String(CONNECTIONS), "-j", "1", "-T", String(SECONDS), "-f", script, stack.databaseUrl]);
  return Number(/tps = ([\d.]+)/.exec(stdout)[1]);
}

function residentMegabytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}
