-- include: rules/*.sql
select plan(8);
insert into public.supported_symbols (symbol, is_active) select 'S' || lpad(n::text, 4, '0'), n <> 7 from generate_series(1, 250) n;
update public.data_type_registry set refresh_strategy = 'scheduled', refresh_schedule = '0 3 * * *' where data_type = 'profile';
update public.data_type_registry set refresh_strategy = 'scheduled', refresh_schedule = '0 4 * * *' where data_type = 'earnings';
update public.data_type_registry set refresh_schedule = '* * * * *' where data_type = 'quote';
create function pg_temp.walk(p_from timestamptz, p_minutes int) returns int[] language plpgsql as $$
declare
  v_queued int[] := '{}';
begin
  for v_minute in 0 .. p_minutes - 1 loop
    perform set_config('mill.now', (p_from + v_minute * interval '1 minute')::text, false);
    v_queued := v_queued || (mill.walk_all_scheduled() ->> 'queued')::int;
  end loop;
  return v_queued;
end $$;
select is(pg_temp.walk('2030-01-01 02:59+00', 6), array[0, 100, 100, 52, 0, 0], 'a type whose time has not come is not walked while another is');
select is((select array_agg(distinct kind) from mill.job_live), array['refresh.profile'], 'a type that is not scheduled at all is not walked');
select is((select count(*)::int from mill.job_live where payload ->> 'symbol' = 'S0007'), 0, 'a symbol that is no longer supported is passed over');

select pg_temp.clear();
set mill.now = '2030-01-01 03:00+00';
create function pg_temp.walk_of(p_type text) returns int language sql as $$ select mill.walk_scheduled(r, 100) from public.data_type_registry r where r.data_type = p_type $$;
select is(array[pg_temp.walk_of('profile'), pg_temp.walk_of('earnings')], array[100, 0], 'one whose first look comes while another is on its way does not go on with that');

-- Due again before the walk has come to its end.
select pg_temp.clear();
update public.data_type_registry set refresh_schedule = '* * * * *' where data_type = 'profile';
update public.data_type_registry set is_enabled = false where data_type = 'earnings';
select is(pg_temp.walk('2030-01-02 02:59+00', 3), array[100, 100, 52], 'a walk goes on to its end before the next one begins');
update public.data_type_registry set refresh_schedule = '* * * * *' where data_type = 'earnings';
select is(pg_temp.walk('2030-01-02 03:10+00', 1), array[0], 'what is queued already is not queued again, and a type that is switched off is not walked');

-- One type fails.
select pg_temp.clear();
update public.data_type_registry set is_enabled = true where data_type = 'earnings';
create function public.refuses() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
create trigger refuses before insert on mill.refresh_walk for each row when (new.data_type = 'earnings') execute function public.refuses();
select is(pg_temp.walk('2030-01-03 03:00+00', 1), array[100], 'a type whose walk fails does not stop the next one');
select is((select array_agg(detail ->> 'data_type') from mill.event where code = 'scheduled_refresh_failed'), array['earnings'], 'and its failure is an event');
select * from finish();
