-- The processor's own checks are types (shared/tests/compile_fail); this is what Postgres checks again.
-- include: rules/*.sql
select plan(8);
set mill.now = '2030-01-01 00:00+00';
create function pg_temp.holds(p_case text) returns boolean language plpgsql as $$
declare
  v_is_refused boolean;
begin
  perform pg_temp.clear();
  v_is_refused := case p_case
    when 'type' then pg_temp.refresh('AAA', jsonb_build_object('data_type', 'profile', 'rows', pg_temp.quote('AAA', mill.now()))) = 'failed wrong_data_type'
    when 'symbol' then pg_temp.refresh('AAA', jsonb_build_object('rows', pg_temp.quote('BBB', mill.now()))) = 'retrying other_symbol'
    when 'empty' then pg_temp.refresh('AAA', jsonb_build_object('rows', '[]'::jsonb)) = 'retrying other_symbol'
    else pg_temp.refresh('AAA', jsonb_build_object('rows', pg_temp.quote('AAA', mill.now(), -5))) = 'retrying write_refused'
  end;
  -- A statement of its own: one statement sees nothing of what the functions in it have written.
  return v_is_refused and not exists (select from public.quotes);
end $$;
select ok(pg_temp.holds('type'), 'another data type''s data');
select ok(pg_temp.holds('symbol'), 'another symbol''s data');
select ok(pg_temp.holds('empty'), 'no data');
select ok(pg_temp.holds('insane'), 'what a constraint refuses');
select is(pg_temp.refresh('AAA', jsonb_build_object('rows', pg_temp.quote('AAA', mill.now()))), null, 'while the failed one waits for its backoff there is nothing to claim');
select pg_temp.caught('pg_temp.holds(''type'')', 'mill.settle_fetched', 'and r.data_type = o ->> ''data_type''', '');
select pg_temp.caught('pg_temp.holds(''symbol'')', 'mill.write_rows', 'is distinct from f ->> ''symbol''', 'is distinct from r ->> p_type.symbol_column');
select pg_temp.clear();
select pg_temp.refresh('AAA', jsonb_build_object('rows', pg_temp.quote('AAA', mill.now()), 'outcome', 'failed', 'error', '{"type": "insane", "retryable": true}'::jsonb)) is not null as refused;
select is_empty('select symbol from public.quotes', 'rows beside an outcome that is no success are not written');
select * from finish();
