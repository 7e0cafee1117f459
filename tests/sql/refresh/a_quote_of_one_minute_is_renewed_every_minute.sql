-- include: rules/*.sql
select plan(6);
create temp table told (minute int, queued int);
create function pg_temp.minutes(p_count int, p_ttl int) returns int[] language plpgsql as $$
declare
  v_queued int[] := '{}';
begin
  perform pg_temp.clear();
  delete from public.active_subscriptions_v2;
  update public.data_type_registry set default_ttl_minutes = p_ttl where data_type = 'quote';
  update mill.api_rate_limits set requests_per_minute = null;
  for v_minute in 0 .. p_count - 1 loop
    -- The pass comes at the minute, and what it asked for is there twelve seconds later.
    perform set_config('mill.now', (timestamptz '2030-01-01 00:00+00' + v_minute * interval '1 minute')::text, false);
    insert into public.active_subscriptions_v2 (user_id, symbol, data_type, last_seen_at) values ('11111111-1111-4111-8111-111111111111', 'AAA', 'quote', mill.now())
    on conflict (user_id, symbol, data_type) do update set last_seen_at = excluded.last_seen_at;
    v_queued := v_queued || (mill.check_presence(null) ->> 'queued')::int;
    perform set_config('mill.now', (mill.now() + interval '12 seconds')::text, false);
    perform pg_temp.refresh('AAA', jsonb_build_object('rows', pg_temp.quote('AAA', mill.now() - interval '1 second'))) from mill.job_live;
  end loop;
  return v_queued;
end $$;
select is(pg_temp.minutes(5, 1), array[1, 1, 1, 1, 1], 'data that lives for a minute is asked for at every pass');
select is(pg_temp.minutes(6, 2), array[1, 0, 1, 0, 1, 0], 'data that lives for two minutes is asked for at every second pass');
-- The provider has nothing newer: that is asked again as often.
create function pg_temp.unchanged() returns int[] language plpgsql as $$
declare
  v_queued int[] := '{}';
begin
  perform pg_temp.minutes(1, 1);
  for v_minute in 1 .. 4 loop
    perform set_config('mill.now', (timestamptz '2030-01-01 00:00+00' + v_minute * interval '1 minute')::text, false);
    update public.active_subscriptions_v2 set last_seen_at = mill.now();
    v_queued := v_queued || (mill.check_presence(null) ->> 'queued')::int;
    perform set_config('mill.now', (mill.now() + interval '12 seconds')::text, false);
    perform pg_temp.refresh('AAA', jsonb_build_object('rows', pg_temp.quote('AAA', timestamptz '2030-01-01 00:00:11+00'))) from mill.job_live;
  end loop;
  return v_queued;
end $$;
select is(pg_temp.unchanged(), array[1, 1, 1, 1], 'where the provider has nothing newer, it is asked at every pass as well');
-- One who subscribes meanwhile asks for nothing that came just now.
select pg_temp.minutes(1, 1);
set mill.now = '2030-01-01 00:00:20+00';
select is(mill.check_symbol('AAA', array['quote'], 5), 0, 'a new watcher of data of this very minute asks for nothing');

-- Scheduled work waits while more wait than the processor can take.
select pg_temp.clear();
update public.data_type_registry set refresh_strategy = 'scheduled', refresh_schedule = '* * * * *' where data_type = 'profile';
insert into public.supported_symbols (symbol) select 'S' || n from generate_series(1, 20) n;
update mill.settings set value = '10' where key = 'refresh.scheduled_depth';
select mill.queue_refreshes((select r from public.data_type_registry r where data_type = 'quote'), array(select symbol from public.supported_symbols order by 1 limit 10), 5);
set mill.now = '2030-01-01 01:00+00';
select is(mill.walk_all_scheduled() ->> 'queued', '0', 'with refresh.scheduled_depth refreshes due no scheduled one is queued');
delete from mill.job where payload ->> 'symbol' = (select max(payload ->> 'symbol') from mill.job_live);
select is(mill.walk_all_scheduled() ->> 'queued', '23', 'with one refresh less than refresh.scheduled_depth the walk begins where it would have');
select * from finish();
