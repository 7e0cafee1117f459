select plan(4);
create function pg_temp.bound(p_role text) returns text language sql as $$
  select split_part(entry, '=', 2)
  from pg_catalog.pg_db_role_setting s
  cross join lateral unnest(s.setconfig) as entry
  where s.setrole = to_regrole(p_role) and entry like 'statement_timeout=%'
$$;
select is(pg_temp.bound('anon'), '3s', 'a statement of anon ends after 3 s');
select is(pg_temp.bound('authenticated'), '8s', 'a statement of authenticated ends after 8 s');
select is(pg_temp.bound('service_role'), '30s', 'a statement of service_role ends after 30 s');
select is(pg_temp.bound('authenticator'), null, 'the role that logs in has no bound of its own: the role that it becomes has');
select * from finish();
