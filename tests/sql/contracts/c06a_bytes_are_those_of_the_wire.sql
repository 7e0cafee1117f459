-- The processor can only count the wire (shared/tests/compile_fail/contract_6a*); here what it says is what is kept.
-- include: rules/*.sql
select plan(3);
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
select * from finish();
