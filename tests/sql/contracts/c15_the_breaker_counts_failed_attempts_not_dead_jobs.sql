-- include: rules/*.sql
select plan(4);
set mill.now = '2030-01-01 00:00+00';
insert into public.supported_symbols (symbol) select 'S' || n from generate_series(1, 30) n;
create function pg_temp.holds() returns boolean language plpgsql as $$
begin
  perform pg_temp.clear();
  perform mill.queue_refreshes((select r from public.data_type_registry r where data_type = 'quote'), array(select symbol from public.supported_symbols), 5);
  perform public.settle_refresh('w', (select jsonb_agg(jsonb_build_object('id', j -> 'id', 'attempt', j -> 'attempt', 'outcome', 'failed',
    'called', true, 'error', '{"type": "http", "retryable": true}'::jsonb)) from jsonb_array_elements(public.claim_refresh('w') -> 'jobs') j));
  perform mill.judge_breakers();
  return (select count(*) = 0 from mill.job_dead) and (select state = 'open' from mill.breaker where target = 'processor:fmp');
end $$;
select ok(pg_temp.holds(), 'a brownout opens it before any job is dead');
select is((select state from mill.breaker where target = 'processor'), 'closed', 'the function''s other queues go on while the breaker of one target is open');
select pg_temp.caught('pg_temp.holds()', 'mill.recent_attempts', 's.outcome <> ''completed''', 's.outcome = ''dead''');
select pg_temp.caught('pg_temp.holds()', 'mill.target_of', 'p_provider IS NULL', 'true');
select * from finish();
