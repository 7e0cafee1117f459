// Plays every scenario against every adapter, many at the same time.
import { randomBytes } from "node:crypto";

import { Tape, openProxy } from "../../stand-ins/proxy.mjs";
import { reasonToSkip } from "./load.mjs";
import { Play, tapeText } from "./play.mjs";
import { Program } from "./program.mjs";
import { openSite } from "./site.mjs";

const AT_ONCE = 16;

/**
 * Gives one cell per scenario and adapter: {scenario, adapter, verdict, problems, calls}. The verdict is `passed`, `failed`, `other mode` or `n/a`.
 * `onCell` is called with each as it is known. `wanted(adapter, scenario)` leaves cells out; `patience` is how long a step may wait for its condition.
 */
export async function playAll(adapters, scenarios, onCell = () => {}, { wanted = () => true, patience = 20_000 } = {}) {
  const site = await openSite(adapters.flatMap(({ does = {} }) => Object.values(does).map(({ kind }) => kind)));
  const servers = [];
  try {
    const opened = await Promise.all(adapters.map((adapter) => openServer(site, adapter).catch((error) => ({ error }))));
    servers.push(...opened);
    // Scenarios in the outer loop: those of one adapter do not come all at once.
    const cells = scenarios.flatMap((scenario) => adapters.map((adapter, at) => ({ scenario, adapter, server: opened[at], problems: [], calls: [] })))
      .filter(({ adapter, scenario }) => wanted(adapter, scenario));
    // Those of workers take longest, most of it waiting for leases and rests: they begin first.
    const left = [...cells].sort((a, b) => a.scenario.modes.length - b.scenario.modes.length || b.adapter.mode.localeCompare(a.adapter.mode));
    const take = async () => {
      for (let cell = left.shift(); cell; cell = left.shift()) onCell(await playCell(site, cell, patience));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, take));
    for (const [at, { strays }] of opened.entries()) {
      if (strays?.calls.length > 0) cells.push(stray(adapters[at], strays));
    }
    cells.push(...sharedNames(cells));
    return cells;
  } finally {
    for (const { program, proxy } of servers) {
      await program?.end();
      await proxy?.close();
    }
    await site.close();
  }
}

async function playCell(site, cell, patience) {
  const { scenario, adapter, server } = cell;
  const skip = reasonToSkip(scenario, adapter);
  if (skip) return Object.assign(cell, { verdict: skip.other ? "other mode" : "n/a", reason: skip.reason });
  if (server.error) return Object.assign(cell, { verdict: "failed", problems: [server.error.message] });
  const play = new Play(site, adapter, scenario, `conform-${randomBytes(8).toString("hex")}`, server.program, patience);
  server.plays?.add(play);
  const begun = performance.now();
  cell.problems = await play.run();
  return Object.assign(cell, { verdict: cell.problems.length > 0 ? "failed" : "passed", calls: play.tape.calls, ms: Math.round(performance.now() - begun) });
}

// All scenarios of an invoked adapter share one process and one proxy. Whose a call is, is told by what is unique in its body: the queue, an invocation, a job.
async function openServer(site, adapter) {
  if (adapter.mode !== "invoked") return {};
  const plays = new Set();
  const strays = new Tape();
  const tapeOf = ({ rpc, text }) => {
    const play = [...plays].findLast(({ tokens, scenario }) => tokens.some((token) => text.includes(token)) || scenario.owns?.includes(rpc));
    return play?.tape ?? strays;
  };
  const proxy = await openProxy(site.stack.url, tapeOf);
  const program = await Program.serve(adapter, {
    SUPABASE_URL: proxy.url, SUPABASE_SERVICE_ROLE_KEY: site.stack.serviceKey, SUPABASE_ANON_KEY: site.stack.anonKey, INVOKE_SECRET: site.secrets.join(" "),
  }).catch(async (error) => {
    await proxy.close();
    throw error;
  });
  return { plays, strays, proxy, program };
}

const stray = (adapter, { calls }) => ({
  scenario: { name: "no call is made that belongs to no job and no invocation", rule: "Calling Postgres" }, adapter, verdict: "failed", problems: tapeText(calls), calls,
});

/** Two processes that share a worker's name could settle each other's jobs. */
function sharedNames(cells) {
  const owners = new Map();
  const problems = [];
  for (const cell of cells.filter(({ adapter }) => adapter.mode === "long-lived")) {
    for (const name of new Set(cell.calls.map(({ body }) => body?.p_worker).filter(Boolean))) {
      if (owners.has(name)) problems.push({ ...cell, scenario: { name: "no two workers share a name", rule: "Names of workers" }, verdict: "failed", problems: [`${name} is the name of two workers`] });
      owners.set(name, cell);
    }
  }
  return problems;
}
