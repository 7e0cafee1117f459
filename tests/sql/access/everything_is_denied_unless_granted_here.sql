-- The tenant walk: every table, view and RPC in public, tried by nobody in particular (anon), by the owner of what is
-- there, by a stranger who knows the owner's ids, and by the service. One that has no rule fails this test.
--
-- To add a table, view or RPC of yours, add its rule to rules/<part>.sql (one file a part, included below). In every
-- statement of a rule {owner}, {stranger} and {profile} stand for ids: the two users and the owner's profile.
--
--   insert into relation_rule (relation, owner_may, service_may, seed, forge) values
--     ('things', 'select insert', 'select insert update delete',
--      $$ insert into public.things (profile_id) values ({profile}) $$,      -- a row that the owner must see and a stranger not
--      $$ insert into public.things (profile_id) values ({profile}) $$);     -- a stranger's insert that must be refused
--   insert into rpc_rule (rpc, owner, service, probe, subject) values
--     ('get_thing', true, true, 'public.get_thing({id})',                    -- what a stranger asks of the owner's id
--      'select id from public.things limit 1');                              -- and where that id comes from
--
--   owner_may      what authenticated is granted, in the order select insert update delete; '' for nothing
--   anyone_may     the same for anon
--   is_shared      true: everybody sees the same rows (plans, prices), and they are nobody's secret
--   probe          needed where users may call an RPC that takes an id; a stranger must get the very answer that an
--                  unknown id gets. goes_on: not stopped by maintenance, though users call it and it writes. is_mute: the owner gets that answer too, say why in a comment
select plan(17);

create temp table relation_rule (
  at int generated always as identity, relation text collate "C" primary key, anyone_may text not null default '', owner_may text not null default '',
  service_may text not null default '', seed text, forge text, is_shared boolean not null default false, goes_on boolean not null default false);
create temp table rpc_rule (
  rpc text collate "C" primary key, anyone boolean not null default false, owner boolean not null default false, service boolean not null default true,
  probe text, subject text, is_mute boolean not null default false, goes_on boolean not null default false);
-- include: rules/*.sql

create function pg_temp.filled(p_text text) returns text language sql as $$
  select replace(replace(replace(p_text, '{owner}', quote_literal('11111111-1111-4111-8111-111111111111')),
    '{stranger}', quote_literal('22222222-2222-4222-8222-222222222222')), '{profile}', quote_literal('33333333-3333-4333-8333-333333333333'))
$$;
-- Tries a statement as somebody and takes everything back. Answers 'ok', what it gave and how many rows it touched, or the error.
create function pg_temp.attempt(p_actor text, p_statement text) returns text language plpgsql as $$
declare
  v_role text := case p_actor when 'anon' then 'anon' when 'service' then 'service_role' else 'authenticated' end;
  v_user text := case p_actor when 'owner' then pg_temp.filled('{owner}') when 'stranger' then pg_temp.filled('{stranger}') end;
  v_gave text;
  v_rows bigint;
begin
  perform set_config('request.jwt.claims', jsonb_strip_nulls(jsonb_build_object('role', v_role, 'sub', trim(v_user, '''')))::text, true);
  execute format('set local role %I', v_role);
  if p_statement ~* '^\s*select' then
    execute p_statement into v_gave;
  else
    execute p_statement;
  end if;
  get diagnostics v_rows = row_count;
  raise exception '% %', v_rows, v_gave using errcode = 'ZZ999';
exception
  when sqlstate 'ZZ999' then return 'ok ' || sqlerrm;
  when others then return sqlstate || ' ' || sqlerrm;
end $$;

create temp view role as select * from (values ('anon', 'anon'), ('authenticated', 'owner'), ('authenticated', 'stranger'), ('service_role', 'service')) r(role, actor);
create temp view relation as
  select c.oid, c.relname::text collate "C" as relation, c.relkind, c.relrowsecurity
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind in ('r', 'p', 'v', 'm', 'f');
create temp view rpc as
  select p.oid, p.proname::text collate "C" as rpc, p.prokind, p.provolatile, p.proargtypes
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'public';
create temp view granted as
  select r.relation, o.role, concat_ws(' ',
    case when has_any_column_privilege(o.role, r.oid, 'select') then 'select' end, case when has_any_column_privilege(o.role, r.oid, 'insert') then 'insert' end,
    case when has_any_column_privilege(o.role, r.oid, 'update') then 'update' end, case when has_table_privilege(o.role, r.oid, 'delete') then 'delete' end) as may
  from relation r cross join (select distinct role from role) o;

-- What is granted.
select is_empty('select relation from relation except select relation from relation_rule', 'every table and view has a rule');
select is_empty('select relation from relation_rule except select relation from relation', 'every access rule of a relation names a table or view that exists');
select is_empty($$ select g.relation, g.role, g.may from granted g join relation_rule u using (relation)
  where g.may <> case g.role when 'anon' then u.anyone_may when 'authenticated' then u.owner_may else u.service_may end $$,
  'exactly what the rules say is granted');
select is_empty($$ select r.relation, o.role from relation r cross join (select distinct role from role) o
  where has_table_privilege(o.role, r.oid, 'truncate, references, trigger') $$, 'nobody may truncate, refer to or put triggers on a table');
select is_empty('select rpc from rpc except select rpc from rpc_rule', 'every RPC has a rule');
select is_empty('select rpc from rpc_rule except select rpc from rpc', 'every access rule of an RPC names an RPC that exists');
select is_empty('select rpc from rpc group by rpc having count(*) > 1', 'none is overloaded: PostgREST could not choose');
select is_empty($$ select r.rpc, o.role from rpc r join rpc_rule u using (rpc) cross join (select distinct role from role) o
  where has_function_privilege(o.role, r.oid, 'execute') <> case o.role when 'anon' then u.anyone when 'authenticated' then u.owner else u.service end $$,
  'exactly the RPCs that the rules say may be called, by exactly those roles');
select is_empty($$ select r.relation from relation r where r.relkind in ('r', 'p') and not r.relrowsecurity $$, 'every table in public has row level security');
select is_empty($$ select c.oid::regclass::text, o.role from pg_class c join pg_namespace n on n.oid = c.relnamespace cross join (select distinct role from role) o
  where n.nspname = 'mill' and (c.relkind in ('r', 'p', 'v') and has_table_privilege(o.role, c.oid, 'select, insert, update, delete, truncate')
    or c.relkind = 'S' and has_sequence_privilege(o.role, c.oid, 'usage, select, update'))
  union all
  select p.oid::regprocedure::text, o.role from pg_proc p join pg_namespace n on n.oid = p.pronamespace cross join (select distinct role from role) o
  where n.nspname = 'mill' and has_function_privilege(o.role, p.oid, 'execute') $$, 'nothing in mill is reachable');
select is_empty($$ select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname in ('public', 'mill') and p.prosecdef and not coalesce(p.proconfig @> array['search_path=pg_catalog, pg_temp'], false) $$,
  'every SECURITY DEFINER function pins its search path with pg_temp last');

-- What really happens. The owner has a profile and a row of everything.
do $$
declare v_rule record;
begin
  execute pg_temp.filled('insert into public.user_profiles (id, user_id, is_default) values ({profile}, {owner}, true)');
  for v_rule in select seed from relation_rule where seed is not null order by at loop
    execute pg_temp.filled(v_rule.seed);
  end loop;
end $$;

create temp table tried as
select r.relation, o.actor, a.action, g.may ~ a.action as is_granted, u.is_shared, u.goes_on,
  case a.action
    when 'select' then format('select count(*) from public.%I', r.relation)
    when 'insert' then coalesce(pg_temp.filled(u.forge), format('insert into public.%I default values', r.relation))
    when 'update' then format('update public.%I set %I = %2$I', r.relation, coalesce((
      select c.attname from pg_attribute c where c.attrelid = r.oid and c.attnum > 0 and c.attgenerated = '' and c.attidentity = ''
      order by has_column_privilege(o.role, r.oid, c.attnum, 'update') desc, c.attnum limit 1), 'id'))
    when 'delete' then format('delete from public.%I', r.relation) end as statement
from relation r join relation_rule u using (relation) cross join role o join granted g on g.relation = r.relation and g.role = o.role
cross join unnest(array['select', 'insert', 'update', 'delete']) a(action);
create temp table walked as select t.*, pg_temp.attempt(t.actor, t.statement) as got from tried t;
select is_empty($$ select relation, actor, action, got from walked where not is_granted and got like 'ok%' $$, 'what is not granted does not happen');
select is_empty($$
  select w.relation, w.actor, w.action, w.got from walked w where w.is_granted and case
    when w.actor in ('anon', 'stranger') and w.is_shared then w.action <> 'select' or w.got not like 'ok 1 %'
    when w.actor in ('anon', 'stranger') and w.action = 'select' then w.got <> 'ok 1 0'
    when w.actor in ('anon', 'stranger') and w.action = 'insert' then w.got not like '42501 %'
    when w.actor in ('anon', 'stranger') then w.got not in ('ok 0 ', 'ok 0 <NULL>')
    -- The owner's and the service's own reach proves that there was something to be found.
    when w.action = 'select' then w.got = 'ok 1 0' and not w.is_shared or w.got not like 'ok %'
    when w.action in ('update', 'delete') and w.actor = 'owner' then w.got like 'ok 0%' or w.got not like 'ok %'
    -- A foreign key may refuse the service's delete; rights may not be missing anywhere below.
    when w.action in ('update', 'delete') then w.got like '42501 %'
    else false end $$, 'a stranger reads, changes and deletes nothing of the owner''s, and inserts nothing in its name');

create temp table called as
select r.rpc, o.actor, case o.role when 'anon' then u.anyone when 'authenticated' then u.owner else u.service end as may,
  case when case o.role when 'anon' then u.anyone when 'authenticated' then u.owner else u.service end then null
  else pg_temp.attempt(o.actor, format(case r.prokind when 'p' then 'call public.%I(%s)' else 'select public.%I(%s)::text' end, r.rpc, (
    select string_agg('null::' || format_type(t.type, null), ', ' order by t.at) from unnest(r.proargtypes) with ordinality t(type, at)))) end as got
from rpc r join rpc_rule u using (rpc) cross join role o;
select is_empty($$ select rpc, actor, got from called where not may and got not like '42501 permission denied for %' $$,
  'an RPC that is not open to a role refuses it before anything runs');

create function pg_temp.probe(p_actor text, p_rule rpc_rule, p_id text) returns text language sql as $$
  -- Ids and times differ between any two answers; all else must not.
  select regexp_replace(pg_temp.attempt(p_actor, 'select (' || replace(pg_temp.filled(p_rule.probe), '{id}', quote_literal(p_id)) || ')::text'),
    '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d[T ][\d:.+Z]+', '<>', 'g')
$$;
create temp table probed as
select u.rpc, u.is_mute, s.id is null as has_no_subject, pg_temp.probe('stranger', u, s.id) as strangers, pg_temp.probe('owner', u, s.id) as owners,
  pg_temp.probe('stranger', u, x.id) as unknown
from rpc_rule u
cross join lateral (select (xpath('//id/text()', query_to_xml(pg_temp.filled(coalesce(u.subject, 'select gen_random_uuid() as id')), true, true, '')))[1]::text as id) s
cross join lateral (select gen_random_uuid()::text as id) x
where u.probe is not null;
select is_empty($$
  select rpc, strangers, unknown, owners from probed where has_no_subject or strangers <> unknown or (not is_mute and owners = unknown)
  union all
  select u.rpc, 'needs a probe', null, null from rpc_rule u join rpc r using (rpc)
  where u.owner and u.probe is null and r.proargtypes::oid[] && array['uuid'::regtype, 'uuid[]'::regtype]::oid[] $$,
  'to a stranger the owner''s ids are ids that do not exist');

-- In maintenance users write nothing, by RPC or by table; an RPC that does not write says so by being stable.
select set_config('request.jwt.claims', '', false);
select public.set_maintenance(true, 'walk');
create temp table stopped as
select r.rpc as name, case when u.probe is not null
  then pg_temp.probe('owner', u, (xpath('//id/text()', query_to_xml(pg_temp.filled(u.subject), true, true, '')))[1]::text)
  else pg_temp.attempt('owner', format('select public.%I(%s)::text', r.rpc, (
      select string_agg('null::' || format_type(t.type, null), ', ' order by t.at) from unnest(r.proargtypes) with ordinality t(type, at)))) end as got
from rpc r join rpc_rule u using (rpc) where u.owner and r.provolatile = 'v' and not u.goes_on;
select is_empty($$ select name, got from stopped where got not like '%GM022%' $$,
  'in maintenance every RPC by which users write is refused: call mill.refuse_in_maintenance() first, or declare the function stable, or say goes_on');
select is_empty($$ select t.relation, t.action from tried t
  where t.actor = 'owner' and t.is_granted and t.action <> 'select' and not t.goes_on and pg_temp.attempt('owner', t.statement) like 'ok%' $$,
  'in maintenance every write of a user to a table is refused: a statement trigger calls mill.refuse_users_in_maintenance()');
select * from finish();
