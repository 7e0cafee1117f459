// The well-behaved user beside the attacker: reads, submits jobs, uploads, exports and subscribes, at the pace of a person, and notes how long each took.
import { createClient } from "@supabase/supabase-js";
import { setTimeout as sleep } from "node:timers/promises";
import ws from "ws";

import { applications } from "../applications.mjs";
import { WATCHED } from "./symbols.mjs";

/** Seconds after which the user gives up, and that is an error. */
const PATIENCE_SECONDS = 30;

const NOTHING = Symbol("nothing");
let watched = 0;

/** What is measured, and in what words. */
export const METRICS = {
  read: "read of own rows",
  enqueue: "enqueue, request to 202",
  settled: "enqueue, request to settled",
  upload: "upload, request to stored",
  export: "export, request to downloaded",
  refresh: "refresh, subscribed to seen",
};

/**
 * Uses everything for some seconds, then waits for what is under way. Gives {took: {metric: [ms]}, errors: {metric: [text]}}; both phases of
 * a comparison do the same at the same pace.
 */
export async function behaveWell({ url, anonKey }, token, seconds) {
  const user = { headers: { authorization: `Bearer ${token}` } };
  const apps = applications({ url, anonKey }, { patience: PATIENCE_SECONDS * 1000 });
  const client = createClient(url, anonKey, {
    auth: { persistSession: false }, realtime: { transport: ws }, global: { headers: user.headers } });
  const run = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 6)}`;
  const [took, errors] = [{}, {}];
  for (const metric of Object.keys(METRICS)) [took[metric], errors[metric]] = [[], []];

  // Gives NOTHING where the work came to nothing, which is then an error of this metric and of no other.
  const timed = async (metric, work, begun = performance.now()) => {
    try {
      const value = await work();
      if (value !== NOTHING) took[metric].push(performance.now() - begun);
      return value;
    } catch (error) {
      errors[metric].push(error.message);
      return NOTHING;
    }
  };
  const comesBack = async (app, id, begun) => {
    while (performance.now() - begun < PATIENCE_SECONDS * 1000) {
      const found = await apps[app].look(user, id);
      if (found?.state === "completed") return;
      if (found) throw new Error(`ended as ${found.state}: ${JSON.stringify(found.proof)}`);
      await sleep(50);
    }
    throw new Error(`was not completed within ${PATIENCE_SECONDS} s`);
  };

  // Pauses keep the user below every limit: a hundred exports per day, for one.
  const loops = [
    ["read", 200, async () => {
      const { error } = await client.from("documents").select("id, title, version, updated_at").limit(20);
      if (error) throw new Error(`${error.code ?? ""} ${error.message}`);
    }],
    ["settled", 300, async (n) => {
      const begun = performance.now();
      const id = await timed("enqueue", () => apps.job.ask(user, `neighbour-${run}-${n}`), begun);
      return id === NOTHING ? NOTHING : comesBack("job", id, begun);
    }],
    ["upload", 500, (n) => apps.document.ask(user, `neighbour-${run}-${n}`)],
    ["export", 1000, async (n) => {
      const begun = performance.now();
      await comesBack("export", await apps.export.ask(user, `neighbour-${run}-${n}`), begun);
    }],
    // A symbol that nobody has watched before; it is left again, so that it is fetched once.
    ["refresh", 500, async () => {
      const begun = performance.now();
      const symbol = await apps.refresh.ask(user, `${WATCHED}${watched++}`);
      await comesBack("refresh", symbol, begun);
      await apps.refresh.leave(user, symbol);
    }],
  ];
  const deadline = Date.now() + seconds * 1000;
  await Promise.all(loops.map(async ([metric, pause, once]) => {
    for (let n = 0; n === 0 || Date.now() < deadline; n++) {
      await timed(metric, () => once(n));
      await sleep(pause);
    }
  }));
  return { took, errors };
}
