-- include: rules/*.sql
select plan(4);
create table public.broken (symbol text primary key, fetched_at timestamptz);
alter table public.broken enable row level security;
create function public.always_fails(timestamptz, int) returns boolean language plpgsql as $$ begin raise exception 'no'; end $$;
insert into public.data_type_registry (data_type, table_name, staleness_function, default_ttl_minutes, endpoint_template, response_schema, column_map)
values ('aaa-bad', 'broken', 'always_fails', 1, '/bad/{symbol}', '{"type": "object"}', '{"symbol": "/symbol"}');
insert into public.active_subscriptions_v2
select gen_random_uuid(), s.symbol, s.data_type, now(), now()
from (values ('AAA', 'aaa-bad'), ('AAA', 'quote'), ('BBB', 'profile'), ('BBB', 'earnings')) s(symbol, data_type);

create function pg_temp.holds() returns boolean language plpgsql as $$
begin
  perform pg_temp.clear();
  perform public.check_and_queue_stale_data_from_presence();
  return (select count(*) = 4 and count(*) filter (where kind = 'refresh.aaa-bad') = 1 from mill.job_live)
    and exists (select from mill.event where code = 'staleness_failed' and detail ->> 'data_type' = 'aaa-bad');
end $$;
select ok(pg_temp.holds(), 'the others are queued, the bad one counts as stale and is an event');
select pg_temp.caught('pg_temp.holds()', 'mill.stale_or_broken', 'return p_symbols', 'raise');
select pg_temp.caught('pg_temp.holds()', 'mill.stale_or_broken', 'return p_symbols', 'return array[]::text[]');
select pg_temp.caught('pg_temp.holds()', 'mill.stale_or_broken', 'if mill.every_minute', 'if false and mill.every_minute');
select * from finish();
