-- The processor can only count the wire (shared/tests/compile_fail/contract_6a*); here what it says is what is kept.
-- include: rules/*.sql
select plan(6);
set mill.now = '2030-01-01 00:00+00';
create function pg_temp.holds() returns boolean language plpgsql as $$
begin
  perform pg_temp.clear();
  perform pg_temp.refresh('AAA', jsonb_build_object('rows', pg_temp.quote('AAA', mill.now()), 'bytes', 98765));
  return (select data_size_bytes = 98765 and calls = 1 from public.api_data_usage) and (select (result ->> 'bytes')::int = 98765 from mill.job);
end $$;
select ok(pg_temp.holds(), 'the counted bytes are the usage, not the size of the rows');
select pg_temp.caught('pg_temp.holds()', 'mill.note_fetches', 'sum(o.bytes)', 'sum(length(p_outcomes::text))');
select pg_temp.clear();
select pg_temp.refresh('AAA', '{"outcome": "failed", "bytes": 77, "error": {"type": "schema", "retryable": true}}') is not null as refused;
select is((select data_size_bytes from public.api_data_usage), 77::bigint, 'what was refused was carried too');
select pg_temp.clear();
select pg_temp.refresh('AAA', '{"outcome": "failed", "bytes": null, "called": true, "error": {"type": "slow", "retryable": true}}') is not null as refused;
select is((select count(*) from public.api_data_usage), 0::bigint, 'a call that carried nothing that could be counted is no row of usage');
select pg_temp.clear();
select public.queue_refresh_if_not_exists(s, 'quote', 5, 10) from unnest(array['AAA', 'BBB']) s;
select public.settle_refresh('w', (select jsonb_agg(jsonb_build_object('id', j -> 'id', 'attempt', j -> 'attempt', 'symbol', j #> '{payload,symbol}', 'data_type', 'quote',
  'outcome', 'fetched', 'bytes', 30, 'called', true, 'rows', pg_temp.quote(j #>> '{payload,symbol}', mill.now()))) from jsonb_array_elements(public.claim_refresh('w') -> 'jobs') j)) is not null as settled;
select results_eq('select calls::int, data_size_bytes::int, job_id from public.api_data_usage', 'values (2, 60, null::uuid)', 'two calls of a batch are one row that names neither job');
select pg_temp.clear();
select mill.queue_refreshes((select r from public.data_type_registry r where data_type = 'quote'), array['AAA'], 5, 10, '{"of": "mine"}');
select mill.queue_refreshes((select r from public.data_type_registry r where data_type = 'quote'), array['BBB'], 5, 10);
select is((select jsonb_object_agg(payload ->> 'symbol', case when payload ? 'metadata' then payload -> 'metadata' else '"none"' end) from mill.job_live), '{"AAA": {"of": "mine"}, "BBB": "none"}', 'metadata goes with the refresh that it was given for');
select * from finish();
