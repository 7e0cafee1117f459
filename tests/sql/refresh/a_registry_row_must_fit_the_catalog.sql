select plan(20);
create table public.dividends (symbol text primary key, yield numeric not null, made_at timestamptz not null, fetched_at timestamptz not null);
alter table public.dividends enable row level security;
create table public.open_table (symbol text primary key, fetched_at timestamptz);
create function pg_temp.register(p_changes jsonb) returns text language plpgsql as $$
declare
  v_detail text;
begin
  insert into public.data_type_registry (data_type, table_name, symbol_column, timestamp_column, source_timestamp_column, staleness_function,
    default_ttl_minutes, edge_function_name, refresh_strategy, refresh_schedule, provider, endpoint_template, response_schema, column_map)
  select r.data_type, r.table_name, r.symbol_column, r.timestamp_column, r.source_timestamp_column, r.staleness_function, r.default_ttl_minutes,
    r.edge_function_name, r.refresh_strategy, r.refresh_schedule, r.provider, r.endpoint_template, r.response_schema, r.column_map
  from jsonb_populate_record(null::public.data_type_registry, '{"data_type": "dividend", "table_name": "dividends", "symbol_column": "symbol",
    "timestamp_column": "fetched_at", "source_timestamp_column": "made_at", "staleness_function": "is_data_stale", "default_ttl_minutes": 5,
    "edge_function_name": "processor", "refresh_strategy": "on-demand", "provider": "fmp", "endpoint_template": "/stable/dividend/{symbol}",
    "response_schema": {"type": "object"}, "column_map": {"symbol": "/symbol", "yield": "/yield", "made_at": "/asOf"}}'::jsonb || p_changes) r;
  return 'ok';
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail;
  return sqlstate || ' ' || coalesce(nullif(v_detail, ''), sqlerrm);
end $$;
select alike(pg_temp.register('{"table_name": "dividends; drop table quotes"}'), 'GM035 %identifier', 'an injection is no identifier');
select alike(pg_temp.register('{"symbol_column": "symbol\" or true --"}'), 'GM035 %identifier', 'a second injection is no identifier');
select alike(pg_temp.register('{"table_name": "nothing"}'), 'GM035 there is no table%', 'the table must exist');
select alike(pg_temp.register('{"table_name": "open_table"}'), 'GM035 there is no table%', 'the table must have row level security');
select alike(pg_temp.register('{"timestamp_column": "yield"}'), 'GM035 %no timestamptz', 'columns have their types');
select alike(pg_temp.register('{"staleness_function": "now"}'), 'GM035 there is no function%', 'the staleness function exists');
select alike(pg_temp.register('{"column_map": {"symbol": "/symbol", "made_at": "/asOf"}}'), 'GM035 %yield may not be null%', 'what may not be null is mapped');
select alike(pg_temp.register('{"column_map": {"symbol": "/symbol", "yield": "/y", "made_at": "/a", "fetched_at": "/now"}}'), 'GM035 %may write', 'when it was fetched is not for the provider to say');
select alike(pg_temp.register('{"column_map": {"yield": "/y", "made_at": "/a"}}'), 'GM035 %symbol is not mapped', 'without the symbol another''s data could not be told');
select alike(pg_temp.register('{"default_ttl_minutes": 0}'), '23514 %', 'a TTL is positive');
select alike(pg_temp.register('{"refresh_strategy": "scheduled", "refresh_schedule": "61 * * * *"}'), 'GM035 %', 'a schedule is one');
select alike(pg_temp.register('{"provider": "nobody"}'), 'GM035 no refresh queue%', 'somebody serves it');
select ok((select bool_and(pg_temp.register(jsonb_build_object('endpoint_template', t)) like '23514 %') from unnest(array['//evil.example/', 'https://evil.example/', '/\evil', '/a/../b', '/x y', '/{other}', '/a#b', '/@evil']) t), 'an endpoint is a path of its provider');
select alike(pg_temp.register('{"endpoint_template": null, "response_schema": null, "column_map": null}'), 'GM035 our processor has no fetcher%', 'our processor is told how to fetch a type that it does not know');
select alike(pg_temp.register('{"response_schema": {}}'), 'GM035 response_schema accepts anything%', 'a schema says something');
select ok((select bool_and(pg_temp.register(jsonb_build_object('response_schema', s)) like 'GM035 response_schema:%') from (values ('{"type": "objekt"}'::jsonb), ('{"type": 7}'),
  ('{"type": "object", "properties": ["a"]}'), ('{"type": "object", "properties": {"price": {"type": "nummer"}}}'), ('{"type": "array", "items": {"type": "object", "required": "price"}}'),
  ('{"type": "object", "properties": {"price": {"type": "number", "minimum": "0"}}}'), ('{"type": "object", "properties": {"price": "number"}}'), ('{"anyOf": [{"type": "x"}]}')) v(s)),
  'a schema that is none is refused, at whatever level the mistake is');
select is(pg_temp.register('{"response_schema": {"type": ["object", "null"], "required": ["symbol"], "properties": {"yield": {"type": "number", "minimum": 0}, "any": true}, "additionalProperties": false}}'), 'ok', 'one that is one is taken');
delete from public.data_type_registry where data_type = 'dividend';
select is(pg_temp.register('{"edge_function_name": "mine", "endpoint_template": null, "response_schema": null, "column_map": null}'), 'ok', 'a processor of the user''s needs to be told nothing');
delete from public.data_type_registry where data_type = 'dividend';
select is(pg_temp.register('{}'), 'ok', 'a registry row that fits the catalog is taken');
select ok(exists (select from mill.kind where kind = 'refresh.dividend' and queue = 'refresh')
  and exists (select from pg_publication_tables where pubname = 'supabase_realtime' and tablename = 'dividends'), 'a registered data type is a kind of job, and its table is published');
select * from finish();
