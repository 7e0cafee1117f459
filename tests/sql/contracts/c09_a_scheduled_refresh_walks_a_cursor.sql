-- include: rules/*.sql
select plan(5);
insert into public.supported_symbols (symbol) select 'S' || lpad(n::text, 4, '0') from generate_series(1, 250) n;
update public.data_type_registry set refresh_strategy = 'scheduled', refresh_schedule = '0 3 * * *' where data_type in ('profile', 'earnings');
-- How many were queued in each of the minutes after three.
create function pg_temp.walk() returns int[] language plpgsql as $$
declare
  v_queued int[] := '{}';
begin
  perform pg_temp.clear();
  for v_minute in 0 .. 4 loop
    perform set_config('mill.now', (timestamptz '2030-01-01 02:59:30+00' + v_minute * interval '1 minute')::text, false);
    v_queued := v_queued || (mill.walk_all_scheduled() ->> 'queued')::int;
  end loop;
  return v_queued;
end $$;
create function pg_temp.holds() returns boolean language sql as $$ select pg_temp.walk() = array[0, 200, 200, 106, 0] $$;
select is(pg_temp.walk(), array[0, 200, 200, 106, 0], 'nothing before its time, then a stretch of 100 a type and minute, then nothing until tomorrow');
select is((select count(distinct payload ->> 'symbol') from mill.job_live where kind = 'refresh.profile'), 253::bigint, 'and every symbol was reached');
select pg_temp.caught('pg_temp.holds()', 'mill.walk_scheduled', 'order by s.symbol limit p_max', 'order by s.symbol');
select pg_temp.caught('pg_temp.holds()', 'mill.walk_scheduled', 's.symbol > v_walk.walking', 's.symbol > ''''');
-- A minute that cron missed is made up for.
select pg_temp.clear();
set mill.now = '2030-01-01 02:58+00';
select public.queue_scheduled_refreshes();
set mill.now = '2030-01-01 03:20+00';
select is((mill.walk_all_scheduled() ->> 'queued')::int, 200, 'cron that was down at three begins when it is back');
select * from finish();
