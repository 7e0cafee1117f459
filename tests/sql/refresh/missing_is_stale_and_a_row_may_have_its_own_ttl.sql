-- include: rules/*.sql
select plan(7);
set mill.now = '2030-01-01 00:00+00';
select is(mill.check_symbol('AAA', array['quote', 'profile'], 5), 2, 'a symbol without a row is stale');
select is(mill.check_symbol('AAA', array['quote', 'profile'], 5), 0, 'a symbol without a row is queued once');
delete from mill.job;
insert into public.earnings (symbol, report_date, last_updated, fetched_at, cache_ttl_minutes) values
  ('AAA', '2029-01-01', '2029-01-01', mill.now() - interval '20 minutes', 10), ('BBB', '2029-01-01', '2029-01-01', mill.now() - interval '20 minutes', null);
select is(mill.check_symbol('AAA', array['earnings'], 5), 1, 'by its own TTL of ten minutes');
select is(mill.check_symbol('BBB', array['earnings'], 5), 0, 'by the type''s of a day');
create table public.plain (symbol text primary key, fetched_at timestamptz not null);
alter table public.plain enable row level security;
insert into public.data_type_registry (data_type, table_name, default_ttl_minutes, endpoint_template, response_schema, column_map)
values ('plain', 'plain', 5, '/plain/{symbol}', '{"type": "object"}', '{"symbol": "/symbol"}');
insert into public.plain values ('AAA', mill.now() - interval '6 minutes'), ('BBB', mill.now());
select is(mill.check_symbol('AAA', array['plain'], 5), 1, 'a table without cache_ttl_minutes is checked like any other');
select is(mill.check_symbol('BBB', array['plain'], 5), 0, 'fresh data of a table without cache_ttl_minutes is not stale');
select is((select count(*) from mill.event), 0::bigint, 'the staleness check records no failure');
select * from finish();
