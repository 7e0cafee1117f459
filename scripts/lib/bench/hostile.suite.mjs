// a well-behaved user beside an attacker: within 3 times of the idle p95 or 500 ms, and no error; fails otherwise
import { randomUUID } from "node:crypto";

import { peakMegabytes, peakMegabytesOfChild } from "../../../sdk/local/stack/memory.mjs";
import { Stack } from "../../../sdk/local/stack/stack.mjs";
import { ATTACKS, startAttack } from "./hostile/attack.mjs";
import { METRICS, behaveWell } from "./hostile/neighbour.mjs";
import { addSymbols } from "./hostile/symbols.mjs";
import { percentile } from "./progress.mjs";

export const parts = ATTACKS;
const ALLOWED_RATIO = 3;
const ALLOWED_MS = 500;
const [IDLE_SECONDS, BESIDE_SECONDS] = [30, 120];
const SHORTER = 3; // without --full

export default async function* measure({ progress, full, only }) {
  const attacks = only ? [only] : ATTACKS;
  const share = full ? 1 : 1 / SHORTER;
  const stack = new Stack(`bench-hostile-${process.pid}`, {
    parts: ["gateway", "relay", "storage", "provider", "workerd", "work"], onStep: (part) => progress(`starting ${part}`) });
  let attack;
  try {
    await stack.start();
    await addSymbols(stack);
    const signIn = () => stack.token({ role: "authenticated", sub: randomUUID() });
    const neighbour = await signIn();
    progress("warming up");
    await behaveWell(stack, neighbour, 3);
    progress("the well-behaved user alone");
    const idle = await behaveWell(stack, neighbour, IDLE_SECONDS * share);
    progress("the attacker writes its documents");
    attack = await startAttack(stack, await signIn(), attacks);
    progress(`the well-behaved user beside ${attacks.join(", ")}`);
    const beside = await behaveWell(stack, neighbour, BESIDE_SECONDS * share);
    const answered = await attack.stop();
    attack = null;

    const failures = [];
    for (const [metric, words] of Object.entries(METRICS)) {
      yield* compare(words, idle, beside, metric, failures);
    }
    yield { metric: "memory of the gateway, peak", value: peakMegabytes(stack.parts.gateway.pid), unit: "MB" };
    yield { metric: "memory of the largest Postgres backend, peak", value: peakMegabytesOfChild(stack.parts.postgres.pid), unit: "MB" };
    for (const [name, answers] of Object.entries(answered)) {
      yield { note: `the attacker's ${name}: ${Object.entries(answers).map(([answer, times]) => `${answer} ${times} times`).join(", ")}` };
    }
    for (const failure of failures) yield { failure };
    if (failures.length === 0) yield { note: "PASS: the well-behaved user noticed nothing" };
  } finally {
    progress("stopping");
    await attack?.stop();
    await stack.destroy();
  }
}

function* compare(words, idle, beside, metric, failures) {
  const errors = [...idle.errors[metric], ...beside.errors[metric]];
  for (const share of [0.5, 0.95]) {
    const name = `p${share * 100}`;
    const [before, during] = [percentile(idle.took[metric], share), percentile(beside.took[metric], share)];
    if (before !== undefined) yield { metric: `${words}: ${name} alone`, value: before, unit: "ms" };
    if (during !== undefined) {
      yield { metric: `${words}: ${name} beside the attacker`, value: during, unit: "ms",
        ...(before !== undefined && { peer: `alone ${before.toFixed(0)} ms`, ratio: during / before }) };
    }
    if (share !== 0.95) continue;
    const allowed = Math.max(ALLOWED_RATIO * before, ALLOWED_MS);
    // Nothing that came to its end is no figure, but it is no success either.
    if (!(during <= allowed)) failures.push(`FAIL ${words}: ${name} ${during === undefined ? "unknown, none was completed" : `${during.toFixed(0)} ms`}; ${allowed.toFixed(0)} ms are allowed`);
  }
  yield { metric: `${words}: errors`, value: errors.length, unit: `of ${errors.length + idle.took[metric].length + beside.took[metric].length}` };
  if (errors.length > 0) failures.push(`FAIL ${words}: ${errors.length} errors, the first: ${errors[0]}`);
}
