-- A trigger, a default, a constraint, a policy and a view run with the rights of the caller, and API roles have none in mill.
-- So each of them either touches nothing of mill or, where it is a function, is SECURITY DEFINER.
select plan(8);

create temp view api_role as select unnest(array['anon', 'authenticated', 'service_role']) as role;
create temp view reach as
  select c.oid, c.oid::regclass::text as relation, r.role,
    has_any_column_privilege(r.role, c.oid, 'insert, update') or has_table_privilege(r.role, c.oid, 'delete') as writes
  from pg_class c cross join api_role r
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
    and (has_any_column_privilege(r.role, c.oid, 'select, insert, update') or has_table_privilege(r.role, c.oid, 'delete'));

-- What a write fires.
create temp view powerless_trigger as
  select r.relation, t.tgname, r.role from reach r join pg_trigger t on t.tgrelid = r.oid and not t.tgisinternal join pg_proc p on p.oid = t.tgfoid
  where r.writes and not p.prosecdef and p.prosrc ~ '\mmill\.';
-- What a statement evaluates: the expressions of the relation, and those of the views below it.
create temp view powerless_expression as
  with recursive owned (classid, objid, relation_id) as (
    select 'pg_attrdef'::regclass, d.oid, d.adrelid from pg_attrdef d
    union all select 'pg_constraint'::regclass, k.oid, k.conrelid from pg_constraint k
    union all select 'pg_policy'::regclass, p.oid, p.polrelid from pg_policy p
    union all select 'pg_trigger'::regclass, t.oid, t.tgrelid from pg_trigger t
    union all select 'pg_rewrite'::regclass, w.oid, w.ev_class from pg_rewrite w
    union all select 'pg_class'::regclass, i.indexrelid, i.indrelid from pg_index i),
  below (top, relation_id) as (
    select r.oid, r.oid from reach r
    union
    select b.top, d.refobjid from below b join pg_rewrite w on w.ev_class = b.relation_id
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
    join pg_class c on c.oid = d.refobjid and c.relkind = 'v')
  select distinct r.relation, o.classid::text as part, d.refobjid::regprocedure::text as routine, r.role
  from reach r join below b on b.top = r.oid join owned o on o.relation_id = b.relation_id
  join pg_depend d on d.classid = o.classid and d.objid = o.objid and d.refclassid = 'pg_proc'::regclass
  join pg_proc p on p.oid = d.refobjid and p.pronamespace = 'mill'::regnamespace
  where not has_function_privilege(r.role, p.oid, 'execute')
    and not exists (select from pg_trigger t where o.classid = 'pg_trigger'::regclass and t.oid = o.objid and t.tgfoid = p.oid);
-- What a caller calls.
create temp view powerless_rpc as
  select p.oid::regprocedure::text as routine, r.role from pg_proc p cross join api_role r
  where p.pronamespace = 'public'::regnamespace and not p.prosecdef and has_function_privilege(r.role, p.oid, 'execute')
    and case p.prokind when 'a' then false else pg_get_functiondef(p.oid) ~ '\mmill\.' end;

select is_empty('table powerless_trigger', 'no write of an API role fires a trigger that needs rights in mill which the role lacks');
select is_empty('table powerless_expression', 'no default, constraint, policy, index or view that an API role uses calls a function which the role may not call');
select is_empty('table powerless_rpc', 'no RPC that an API role may call reads mill with the rights of the caller');

-- Each check can fail.
create function mill.broken() returns trigger language plpgsql as $$ begin new.at := mill.now(); return new; end $$;
create table public.broken (id int, at timestamptz default mill.now(), constraint c check (mill.now() > at));
create trigger broken before insert on public.broken for each row execute function mill.broken();
create policy p on public.broken for select using (at < mill.now());
create view public.broken_view as select mill.now() as at;
create function public.broken_rpc() returns timestamptz language sql as $$ select mill.now() $$;
grant select, insert on public.broken to authenticated;
grant select on public.broken_view to authenticated;
revoke execute on function mill.broken(), public.broken_rpc() from public;
grant execute on function public.broken_rpc() to authenticated;
select results_eq('table powerless_trigger', $$ values ('broken'::text, 'broken'::name, 'authenticated'::text) $$, 'a trigger that runs as the caller is found');
select results_eq($$ select part from powerless_expression where relation = 'broken' order by part $$,
  $$ values ('pg_attrdef'::text), ('pg_constraint'), ('pg_policy') $$, 'a default, a check and a policy that call into mill are found');
select results_eq($$ select part from powerless_expression where relation = 'broken_view' $$, $$ values ('pg_rewrite'::text) $$, 'a view that calls into mill is found');
select results_eq('table powerless_rpc', $$ values ('broken_rpc()'::text, 'authenticated'::text) $$, 'an RPC that runs as the caller is found');
alter function mill.broken() security definer;
select is_empty('table powerless_trigger', 'a SECURITY DEFINER trigger may use mill');
select * from finish();
