-- Walks the catalog: a console RPC that is added later is walked too.
select plan(7);
create temp table rpc as
select p.oid, p.proname::text as name, p.provolatile, p.proargtypes, p.prosecdef, (
    select coalesce(string_agg(case when t.type = 'text'::regtype and a.name = 'p_reason' then '''a reason''' else 'null' end || '::' || format_type(t.type, null), ', ' order by t.at), '')
    from unnest(p.proargtypes) with ordinality t(type, at) join unnest(p.proargnames) with ordinality a(name, at) using (at)) as arguments
from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'public' and p.proname like 'console\_%';
-- Tries an RPC as a role of the console, and takes everything back.
create function pg_temp.attempt(p_role text, p_rpc text, p_arguments text) returns text language plpgsql as $$
declare v_gave text;
begin
  perform set_config('request.jwt.claims', jsonb_strip_nulls(jsonb_build_object('role', 'authenticated', 'sub', '00000000-0000-4000-8000-00000000000a', 'gristmill_role', p_role))::text, true);
  set local role authenticated;
  execute format('select public.%I(%s)', p_rpc, p_arguments) into v_gave;
  raise exception '%', left(v_gave, 100) using errcode = 'ZZ999';
exception
  when sqlstate 'ZZ999' then return 'ok';
  when others then return sqlstate || ' ' || sqlerrm;
end $$;
create temp table walked as
select r.name, r.provolatile, a.role, pg_temp.attempt(a.role, r.name, r.arguments) as got
from rpc r cross join (values (null), ('viewer'), ('operator'), ('admin')) a(role);

select cmp_ok((select count(*)::int from rpc), '>=', 25, 'there are RPCs to be walked');
select is_empty($$ select name, got from walked where role is null and got not like '42501 this needs the console role %; your token has none' $$, 'every RPC of the console refuses a user without a role');
select is_empty($$ select name, got from walked where role = 'viewer' and provolatile <> 's' and got not like '42501 %' $$, 'a viewer changes nothing by any RPC');
select is_empty($$ select name, got from walked where role = 'viewer' and provolatile = 's' and name <> 'console_preview' and got like '42501 %' $$, 'a viewer may call every RPC that only reads');
select is_empty($$ select name, got from walked where role = 'admin' and got like '42501 %' $$, 'an admin may call every RPC');
select set_eq($$ select name from walked where role = 'operator' and got like '42501 %' $$, array['console_reveal', 'console_reveal_document', 'console_reveal_export', 'console_set_queue', 'console_set_kind'], 'an operator may not reveal, nor change options');
select is_empty($$ select name from rpc r where not prosecdef or has_function_privilege('anon', oid, 'execute') or not has_function_privilege('service_role', oid, 'execute') $$,
  'every RPC of the console runs with its owner''s rights, is closed to anon and open to the service');
select * from finish();
