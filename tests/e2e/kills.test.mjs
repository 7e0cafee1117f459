// Any one part is killed in the middle of a batch and started again: pending jobs finish, none twice.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { isSoak, sleep, startStack, until } from "../support.mjs";

const JOBS = 60;
const ROUNDS = isSoak ? 50 : 1;

describe("a part that is killed and started again", () => {
  let stack;
  before(async () => {
    stack = await startStack("kills");
    // Short leases, so that a lost worker is noticed in test time; small batches, so that many are in flight.
    await stack.postgres.query("update mill.queue set lease_seconds = 3, batch_size = 10, max_lease_losses = 100, max_attempts = 100");
    await stack.postgres.query(`update public.system_configuration set config_value = '0'
      where config_key = 'worker.reclaim_jitter_max_seconds'`);
    // An append-only ledger outside the engine: one line each time a job is settled for good.
    await stack.postgres.query(`
      create table public.ledger (id uuid, state text);
      alter table public.ledger enable row level security;
      create function public.note() returns trigger language plpgsql security definer as
        $$ begin insert into public.ledger values (new.id, new.state); return null; end $$;
      create trigger note after insert on mill.job for each row when (new.state in ('completed', 'failed')) execute function public.note()`);
  });
  after(() => stack?.destroy());

  const count = async (sql) => (await stack.postgres.query(`select count(*)::int as n from ${sql}`)).rows[0].n;

  for (const part of ["workerd", "gateway", "relay", "postgres"]) {
    for (let round = 1; round <= ROUNDS; round++) {
      test(`${part} (round ${round}): every job is settled once`, async () => {
        await stack.postgres.query("truncate public.ledger");
        await stack.postgres.query(`select mill.enqueue((select jsonb_agg(jsonb_build_object(
          'kind', 'echo', 'payload', jsonb_build_object('n', n, 'delay_ms', 200))) from generate_series(1, ${JOBS}) n))`);
        await until(() => count("mill.job where state = 'processing'"), "a claimed batch");

        await stack.parts[part].kill();
        await sleep(Math.random() * 300);
        await stack.restart(part);

        await until(async () => {
          await stack.postgres.query("call mill.pump(0)"); // what cron does every few seconds
          await sleep(100);
          return (await count("mill.job_live")) === 0;
        }, "all jobs settling", 120_000);
        assert.equal(await count("public.ledger where state = 'completed'"), JOBS);
        assert.equal(await count("(select distinct id from public.ledger) d"), JOBS);
        assert.equal(await count("mill.job_dead"), 0);
      });
    }
  }
});
