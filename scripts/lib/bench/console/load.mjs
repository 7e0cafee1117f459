// A database as it is after a busy week: jobs by plain INSERTs, because enqueueing and running them all would take hours.

const FINISHED_AT_ONCE = 500_000;

/**
 * `finished` jobs over the last seven days, `pending` ones in lines, and 5,000 dead letters. Ids are time-ordered, as the engine's are.
 * @param {import("pg").Client} client
 */
export async function load(client, { pending, finished, progress }) {
  await client.query(`do $$
    declare
      v_day date;
    begin
      for v_day in select d::date from generate_series((now() at time zone 'UTC')::date - 7, (now() at time zone 'UTC')::date - 1, interval '1 day') d loop
        if to_regclass('mill.job_done_' || to_char(v_day, 'YYYYMMDD')) is null then
          execute format('create table mill.%I partition of mill.job_done for values from (%L) to (%L)', 'job_done_' || to_char(v_day, 'YYYYMMDD'),
            v_day::timestamp at time zone 'UTC', (v_day + 1)::timestamp at time zone 'UTC');
        end if;
      end loop;
    end $$`);
  for (let from = 1; from <= finished; from += FINISHED_AT_ONCE) {
    progress(`finished jobs: ${(from - 1).toLocaleString("en")} of ${finished.toLocaleString("en")}`);
    await client.query(
      `insert into mill.job_done (id, queue, kind, state, payload, priority, run_at, attempt, max_attempts, worker, created_at, started_at, finished_at, result)
       select mill.uuid7_at((extract(epoch from t.at) * 1000000)::bigint, '-8000-' || lpad(to_hex(n), 12, '0')), 'default', 'echo', 'completed', jsonb_build_object('n', n, 'user_id', n % 5000),
         5, t.at, 1, 5, 'w' || n % 20, t.at, t.at + interval '10 ms', t.at + interval '30 ms', '{"ok": true}'
       from generate_series($1::int, $2::int) n cross join lateral (select now() - interval '6 days' + n * (interval '6 days' / $3::int) as at) t`,
      [from, Math.min(from + FINISHED_AT_ONCE - 1, finished), finished]);
  }
  progress(`${pending.toLocaleString("en")} pending jobs`);
  await client.query(
    `insert into mill.job_live (id, line, turn, queue, kind, state, payload, priority, run_at, max_attempts, created_at)
     select mill.uuid7_at((extract(epoch from now()) * 1000000)::bigint + n, '-9000-' || lpad(to_hex(n), 12, '0')), l.line, mill.clock_us(), 'default', 'echo', 'pending',
       jsonb_build_object('n', n, 'user_id', n % 5000), 5, now(), 5, now()
     from generate_series(1, $1::int) n cross join (select line from mill.line where queue = 'default' and priority = 5) l`, [pending]);
  await client.query(
    `insert into mill.job_dead (id, queue, kind, state, payload, priority, run_at, attempt, max_attempts, created_at, started_at, finished_at, error, error_log)
     select mill.uuid7_at((extract(epoch from t.at) * 1000000)::bigint, '-a000-' || lpad(to_hex(n), 12, '0')), 'default', 'echo', 'failed', jsonb_build_object('n', n), 5, t.at, 5, 5, t.at, t.at, t.at,
       jsonb_build_object('type', 'timeout', 'message', format('no answer from 10.0.0.%s within %s s', n % 255, n)), '[]'
     from generate_series(1, 5000) n cross join lateral (select now() - n * interval '1 minute' as at) t`);
  progress("statistics");
  await client.query(
    `insert into mill.stat_minute (minute, queue, kind, outcome, bucket, jobs, total_ms, bytes)
     select date_trunc('minute', now()) - m * interval '1 minute', q.queue, 'echo', o, b, 10, 100, 1000
     from generate_series(2, 1440) m cross join mill.queue q cross join unnest(array['completed', 'failed']) o cross join generate_series(3, 5) b`);
  progress("vacuum");
  await client.query("vacuum analyze");
}

/** The token of an operator, as the gateway gives it to Postgres. */
export const asOperator = (client, role = "operator") =>
  client.query("select set_config('request.jwt.claims', $1, false)", [
    JSON.stringify({ role: "authenticated", sub: "00000000-0000-4000-8000-00000000000a", gristmill_role: role })]);
