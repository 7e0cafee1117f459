select plan(3);
set mill.now = '2030-01-01 00:00+00';
select set_config('request.jwt.claims', '{"role": "service_role"}', false);
select set_eq($$ select k.queue from mill.kind k where k.kind ~ '^(fast|ai)_queue_' $$, array['fast', 'ai'], 'the stages of documents run in the queues fast and ai');
update mill.queue set max_attempts = 20 where queue in ('fast', 'ai');
-- Twenty stages of each queue, and the delay after each of six failures.
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', k.kind, 'payload', jsonb_build_object('n', n), 'max_attempts', 20))
  from (select distinct on (queue) queue, kind from mill.kind where queue in ('fast', 'ai') order by queue, kind) k, generate_series(1, 20) n));
create temp table waited (queue text, attempt int, seconds numeric);
do $$
begin
  for v_round in 1 .. 6 loop
    perform set_config('role', 'service_role', false);
    perform public.settle_jobs('w', (select jsonb_agg(jsonb_build_object('id', j -> 'id', 'attempt', j -> 'attempt', 'outcome', 'failed', 'error', '{"type": "x", "message": "x"}'::jsonb))
      from jsonb_array_elements(public.claim_jobs('w', array['fast', 'ai'], 100)) j));
    perform set_config('role', 'none', false);
    insert into waited select j.queue, v_round, extract(epoch from j.run_at - mill.now()) from mill.job_live j where j.queue in ('fast', 'ai');
    perform set_config('mill.now', (mill.now() + interval '10 minutes')::text, false);
    perform mill.promote();
  end loop;
end $$;
select results_eq('select queue, attempt, count(*)::int from waited group by 1, 2 order by 1, 2', $$ select q, n, 20 from (values ('ai'), ('fast')) v(q), generate_series(1, 6) n order by 1, 2 $$,
  'every stage has failed six times');
select is_empty($$ select * from waited where seconds not between 0.8 * power(2, attempt) and 1.2 * power(2, attempt) $$,
  'K21: a failed stage of a document waits for about 2, 4, 8, 16, 32 and 64 s, within a fifth');
select * from finish();
