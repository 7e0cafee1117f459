-- include: rules/*.sql
select plan(6);
set mill.now = '2030-01-01 00:00+00';
create function pg_temp.settle(p_rows jsonb) returns text[] language plpgsql as $$
begin
  perform public.queue_refresh_if_not_exists(s, 'quote', 5, 10) from jsonb_object_keys(p_rows) s;
  perform public.settle_refresh('w', (select jsonb_agg(jsonb_build_object('id', j -> 'id', 'attempt', j -> 'attempt', 'symbol', j #> '{payload,symbol}', 'data_type', 'quote',
    'outcome', 'fetched', 'bytes', 100, 'called', true, 'rows', p_rows -> (j #>> '{payload,symbol}'))) from jsonb_array_elements(public.claim_refresh('w') -> 'jobs') j));
  return (select array_agg(concat(payload ->> 'symbol', ' ', result ->> 'status', error ->> 'type') order by payload ->> 'symbol') from mill.job);
end $$;
select is(pg_temp.settle(jsonb_build_object('AAA', pg_temp.quote('AAA', mill.now()), 'BBB', pg_temp.quote('BBB', mill.now(), -5))), array['AAA written', 'BBB write_refused'],
  'one row that the table refuses takes no other with it');
select is((select array_agg(symbol) from mill.data_change), array['AAA'], 'watchers are told only of rows that were written');
select pg_temp.clear();
select pg_temp.settle(jsonb_build_object('BBB', pg_temp.quote('BBB', mill.now()))) is not null as written;
delete from mill.job;
select is(pg_temp.settle(jsonb_build_object('AAA', pg_temp.quote('AAA', mill.now() - interval '1 hour'))), array['AAA written'], 'older than the data of another symbol is not older');

-- A type whose provider says no time.
create table public.timeless (symbol text primary key, fetched_at timestamptz not null, size int);
alter table public.timeless enable row level security;
insert into public.data_type_registry (data_type, table_name, default_ttl_minutes, endpoint_template, response_schema, column_map) values
  ('timeless', 'timeless', 5, '/timeless/{symbol}', '{"type": "object"}', '{"symbol": "/symbol", "size": "/size"}');
create function pg_temp.write(p_size int) returns text language sql as $$
  select mill.write_rows(r, jsonb_build_array(jsonb_build_object('id', 'one', 'symbol', 'AAA', 'rows', jsonb_build_array(jsonb_build_object('symbol', 'AAA', 'size', p_size)))), mill.now()) ->> 'one'
  from public.data_type_registry r where r.data_type = 'timeless'
$$;
select is(pg_temp.write(1), 'written', 'data without a time of its own is written');
create unique index on public.timeless (symbol, size);
select is(pg_temp.write(2), 'written', 'the primary key decides which row is meant, whatever other unique index there is');
select is((select array_agg(size) from public.timeless), array[2], 'a second write of the same primary key replaces the row and adds none');
select * from finish();
