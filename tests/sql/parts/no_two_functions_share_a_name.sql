-- PostgREST cannot choose between two functions of one name, and gristmill migrate knows a function by its name.
select plan(2);
select is_empty($$
  select format('%s.%s', n.nspname, p.proname) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname in ('mill', 'public') and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  group by 1 having count(*) > 1 $$, 'every function of ours has a name of its own');
create function mill.now(p_other int) returns int language sql as 'select 1';
select isnt_empty($$
  select p.proname from pg_proc p where p.pronamespace = 'mill'::regnamespace group by 1 having count(*) > 1 $$, 'an overload would be found');
select * from finish();
