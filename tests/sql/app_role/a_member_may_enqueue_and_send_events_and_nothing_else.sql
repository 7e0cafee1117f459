select plan(14);
create role shop_of_test login in role gristmill_app;
select is((select array_agg(format('%s.%s', n.nspname, p.proname) order by 1) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = 'mill' and has_function_privilege('shop_of_test', p.oid, 'execute')), array['mill.enqueue', 'mill.enqueue_many', 'mill.send_event'], 'a member of gristmill_app may call three functions of mill');
select is_empty($$ select c.oid::regclass from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'mill' and c.relkind in ('r', 'p', 'v', 'm', 'f') and has_table_privilege('shop_of_test', c.oid, 'select, insert, update, delete, truncate, references, trigger') $$, 'no table or view of mill is open to it');
select is_empty($$ select c.oid::regclass from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'mill' and case when c.relkind = 'S' then has_sequence_privilege('shop_of_test', c.oid, 'usage, select, update') end $$, 'no sequence of mill either');
select is_empty($$ select format('%s.%s.%s', a.attrelid::regclass, a.attname, a.attacl) from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace = 'mill'::regnamespace and a.attacl::text like '%gristmill_app%' $$, 'no single column either');
select is_empty($$ select p.oid::regprocedure from pg_proc p where p.pronamespace = 'public'::regnamespace and has_function_privilege('shop_of_test', p.oid, 'execute')
  except select p.oid::regprocedure from pg_proc p where p.pronamespace = 'public'::regnamespace and exists (
    select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0 and a.privilege_type = 'EXECUTE') $$, 'a member of gristmill_app may call in public what everybody may call');
select is_empty($$ select c.oid::regclass from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
  and has_table_privilege('shop_of_test', c.oid, 'select, insert, update, delete') $$, 'no table of public is open to it');
select ok(not has_schema_privilege('shop_of_test', 'mill', 'create') and not has_schema_privilege('shop_of_test', 'public', 'create'), 'a member of gristmill_app creates nothing');
select is((select rolcanlogin or rolsuper or rolcreaterole or rolbypassrls from pg_roles where rolname = 'gristmill_app'), false, 'the role itself cannot log in and has no rights of its own');

set role shop_of_test;
begin;
select mill.enqueue('[{"kind": "echo", "payload": {"n": 1}}]');
rollback;
begin;
select is((select status from mill.enqueue('[{"kind": "echo", "payload": {"n": 2}, "dedupe_key": "k"}]')), 'new', 'a member enqueues in its own transaction');
select is(cardinality(mill.enqueue_many('echo', '[{"n": 3}, {"n": 4}]')), 2, 'many at once as well');
select is((select mill.send_event(id, 'paid', '{"by": "card"}') from mill.enqueue('[{"kind": "echo", "payload": {"n": 5}}]')), 'kept', 'and sends an event');
commit;
select throws_ok($$ select * from mill.job $$, '42501', null, 'a member of gristmill_app reads no job');
select throws_ok($$ select mill.settle('w', '[]') $$, '42501', null, 'a member of gristmill_app settles no job');
reset role;
select is((select array_agg(payload ->> 'n' order by payload ->> 'n') from mill.job), array['2', '3', '4', '5'], 'what was rolled back is not there, and what was committed is');
drop role shop_of_test;
select * from finish();
