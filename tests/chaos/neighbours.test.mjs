// One user does what has stopped the service for everybody; another one goes on as before. Nothing is timed here: the bench `hostile` does that.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";

import { ATTACKS, startAttack } from "../../scripts/lib/bench/hostile/attack.mjs";
import { behaveWell } from "../../scripts/lib/bench/hostile/neighbour.mjs";
import { addSymbols } from "../../scripts/lib/bench/hostile/symbols.mjs";
import { Stack } from "../../sdk/local/stack/stack.mjs";
import { watchOver } from "../../sdk/local/stack/undertaker.mjs";
import { isSoak } from "../support.mjs";

const SECONDS = isSoak ? 60 : 5;

let stack, attack;
const end = async () => {
  await attack?.stop();
  await stack?.destroy();
};
before(async () => {
  stack = new Stack(`test-neighbours-${process.pid}`, { parts: ["gateway", "relay", "storage", "provider", "workerd", "work"] });
  watchOver(stack);
  await stack.start();
  await addSymbols(stack);
});
after(end);

test("slow filters, endless exports, broken payloads, jobs of high priority, slow PDFs and floods of refreshes of one user give another user no error", async (t) => {
  const signIn = () => stack.token({ role: "authenticated", sub: randomUUID() });
  attack = await startAttack(stack, await signIn(), ATTACKS.filter((attack) => isSoak || attack !== "answers"));
  const { took, errors } = await behaveWell(stack, await signIn(), SECONDS);
  t.diagnostic(`the attacker was answered ${JSON.stringify(await attack.stop())}`);
  attack = null;
  assert.deepEqual(errors, { read: [], enqueue: [], settled: [], upload: [], export: [], refresh: [] });
  for (const [metric, list] of Object.entries(took)) assert.ok(list.length > 0, `${metric} was done at least once`);
});
