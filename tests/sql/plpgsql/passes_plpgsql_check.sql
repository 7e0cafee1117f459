-- needs: plpgsql_check
create extension plpgsql_check;
select plan(1);
select is_empty(
  $$ select p.oid::regprocedure, c.message
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
     cross join lateral plpgsql_check_function_tb(
       p.oid,
       case p.proname when 'wake_on_enqueue' then 'mill.job_live'::regclass when 'adopt_on_change' then 'mill.queue'::regclass when 'floor_on_new_queue' then 'mill.queue'::regclass when 'check_registry_row' then 'public.data_type_registry'::regclass when 'follow_registry_row' then 'public.data_type_registry'::regclass else 0 end,
       performance_warnings => false) c
     where n.nspname in ('mill', 'public') and l.lanname = 'plpgsql' and c.level in ('error', 'warning') $$,
  'no function has a finding');
select * from finish();
