-- needs: plpgsql_check
create extension plpgsql_check;
select plan(1);
select is_empty(
  $$ select p.oid::regprocedure, c.lineno, c.statement, c.message
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
     cross join lateral plpgsql_check_function_tb(
       p.oid,
       -- A trigger function is checked against a table that it is the trigger of.
       coalesce((select t.tgrelid from pg_trigger t where t.tgfoid = p.oid order by t.tgrelid limit 1), 0),
       performance_warnings => false,
       newtable => (select t.tgnewtable from pg_trigger t where t.tgfoid = p.oid and t.tgnewtable is not null limit 1)) c
     where n.nspname in ('mill', 'public') and l.lanname = 'plpgsql' and c.level in ('error', 'warning') $$,
  'no function has a finding');
select * from finish();
