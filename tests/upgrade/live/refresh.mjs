// Symbols that are watched, and refreshes that wait, run, have brought data, brought nothing new, and died.
import assert from "node:assert/strict";

import { ADA, BOB } from "./actors.mjs";

/** One quote, as the provider's answer is after it was checked. */
export const quote = (symbol, at) => [{
  symbol, name: symbol, price: 10, change: 0, change_percentage: 0, volume: 1, day_low: 1, day_high: 20, year_low: 1, year_high: 20,
  price_avg_50: 1, price_avg_200: 1, exchange: "X", open: 1, previous_close: 1, quoted_at: at,
}];

export async function fill(actors) {
  const { service, ago } = actors;
  const symbols = ["FRESH", "SAME", "DEAD", "HELD", "LOST", "WAIT", "RETRY"];
  await service("insert into public.supported_symbols (symbol) select unnest($1::text[])", symbols);
  const { claimed, settle } = stepsOf(actors);
  await settle(await claimed("FRESH"), { outcome: "fetched", rows: quote("FRESH", new Date().toISOString()) });
  const before = new Date(Date.now() - 600_000).toISOString();
  await ago(600, async () => settle(await claimed("SAME"), { outcome: "fetched", rows: quote("SAME", before) }));
  // Asked for again, and the provider had nothing newer.
  await service("select public.check_and_queue_stale_batch('SAME', array['quote'], 5)");
  await settle(await claimed("SAME", "worker-live", false), { outcome: "fetched", rows: quote("SAME", before) });
  await settle(await claimed("DEAD"), { outcome: "dead", error: { type: "http", message: "404" } });
  await settle(await claimed("RETRY"), { outcome: "failed", error: { type: "http", message: "503", retryable: true } });
  await claimed("HELD");
}

/** A refresh whose worker was never heard of again, and at last those that nobody has claimed. */
export async function lose(actors) {
  await actors.ago(3600, () => stepsOf(actors).claimed("LOST", "worker-gone"));
  for (const symbol of ["WAIT", "FRESH"]) await actors.user(BOB)("select public.upsert_active_subscription_v2(p_symbol => $1, p_data_type => 'quote')", symbol);
  await actors.user(BOB)("select public.upsert_active_subscription_v2(p_symbol => 'WAIT', p_data_type => 'profile')");
}

function stepsOf({ service, user }) {
  /** Watches a symbol and claims its refresh, which is the only one that waits. */
  const claimed = async (symbol, worker = "worker-live", isNew = true) => {
    if (isNew) assert.equal((await user(ADA)("select public.upsert_active_subscription_v2(p_symbol => $1, p_data_type => 'quote')", symbol)).queued, 1);
    const { jobs } = await service("select public.claim_refresh($1)", worker);
    assert.equal(jobs.length, 1);
    return { ...jobs[0], symbol, worker };
  };
  const settle = async (job, outcome) => {
    const answers = await service("select public.settle_refresh($1, $2::jsonb)", job.worker, JSON.stringify([{
      id: job.id, attempt: job.attempt, symbol: job.symbol, data_type: "quote", bytes: 600, called: true, ...outcome }]));
    assert.equal(answers[0].status, "accepted");
  };
  return { claimed, settle };
}
