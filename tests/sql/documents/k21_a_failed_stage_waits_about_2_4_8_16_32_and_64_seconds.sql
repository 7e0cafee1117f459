select plan(9);
set mill.now = '2030-01-01 00:00+00';
select is((select count(*) from mill.queue where queue in ('fast', 'ai') and backoff_jitter = 0.2), 2::bigint, 'K21: both queues of documents stay near their delay');
-- Thirty jobs fail six times; how long each waits is what was meant.
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'ai_queue_pass1', 'payload', jsonb_build_object('n', n))) from generate_series(1, 30) n));
create function pg_temp.waits() returns numeric[] language plpgsql as $$
declare v_waits numeric[];
begin
  perform mill.settle('w', (select jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', 'failed', 'error', jsonb_build_object('type', 'network_error', 'message', 'x')))
    from mill.claim('w', array['ai'], 30) c));
  select array_agg(extract(epoch from run_at - mill.now())) into v_waits from mill.job_live where kind = 'ai_queue_pass1' and state = 'retrying';
  perform set_config('mill.now', (mill.now() + interval '2 minutes')::text, false);
  perform mill.tick();
  return v_waits;
end $$;
create temp table retry as select n, pg_temp.waits() as waits from generate_series(1, 6) n;
select is((select cardinality(waits) from retry where n = 1), 30, 'all thirty wait for their first retry');
select ok((select min(w) >= 0.8 * 2 ^ n and max(w) <= 1.2 * 2 ^ n from unnest(waits) w), format('K21: retry %s waits %s s ± 20%%', n, 2 ^ n)) from retry order by n;
select ok((select bool_and(max_w > min_w * 1.05) from (select max(w) as max_w, min(w) as min_w from retry, unnest(waits) w group by n) s), 'no two workers come back at the same moment: the wait has a jitter');
select * from finish();
