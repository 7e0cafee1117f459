-- What security and performance advisors of hosted platforms look for, asked of the catalog. Ours by choice are named, and docs/security.md says why.
select plan(8);
create temp view ours as select p.* from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('mill', 'public')
  and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');

select is_empty($$ select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relrowsecurity
  and (has_table_privilege('anon', c.oid, 'select') or has_table_privilege('authenticated', c.oid, 'select')) $$,
  'every exposed table has row level security');
select is_empty($$ select p.tablename || '.' || p.policyname from pg_policies p where p.schemaname = 'public'
  and regexp_replace(concat(p.qual, ' ', p.with_check), '\( ?SELECT (auth\.)?(uid|jwt|role)\(\)( AS \w+)?\)', '', 'gi') ~* '\mauth\.(uid|jwt|role)\(\)|(?<!\.)\m(uid|jwt)\(\)|current_setting\(' $$,
  'no policy asks per row who calls');
select is_empty($$ select p.tablename || ' ' || p.cmd || ' ' || r from pg_policies p cross join unnest(p.roles) r
  where p.schemaname = 'public' and p.permissive = 'PERMISSIVE' group by p.tablename, p.cmd, r having count(*) > 1 $$,
  'no table has two permissive policies for one command and role');
select is_empty($$ select o.proname from ours o where o.prosecdef and not coalesce(o.proconfig::text, '') ~ 'search_path=' $$,
  'every SECURITY DEFINER function has a search path of its own');
select is_empty($$ select o.proname from ours o where o.pronamespace = 'mill'::regnamespace
  and (has_function_privilege('anon', o.oid, 'execute') or has_function_privilege('authenticated', o.oid, 'execute'))
  and has_schema_privilege('authenticated', 'mill', 'usage') $$, 'no user calls a private function');
select is_empty($$ select i.indrelid::regclass, i.indkey::text from pg_index i join pg_class c on c.oid = i.indrelid
  where c.relnamespace in ('mill'::regnamespace, 'public'::regnamespace)
  group by i.indrelid, i.indkey::text, i.indclass::text, coalesce(pg_get_expr(i.indpred, i.indrelid), ''), coalesce(pg_get_expr(i.indexprs, i.indrelid), '') having count(*) > 1 $$,
  'no two indexes are the same');
select is_empty($$ select c.relname, a.grantee::regrole, a.privilege_type from pg_class c cross join lateral aclexplode(c.relacl) a
  where c.relnamespace in ('net'::regnamespace, 'mill'::regnamespace) and a.grantee = 0 $$, 'nothing in net and mill is granted to PUBLIC');
-- Views that show rows of mill, where no user may read: each says in its own text whose rows it shows, behind a barrier.
select is_empty($$ select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'v'
  and (has_table_privilege('anon', c.oid, 'select') or has_table_privilege('authenticated', c.oid, 'select'))
  and not coalesce(c.reloptions::text, '') ~ 'security_invoker=(true|on)'
  and not (coalesce(c.reloptions::text, '') ~ 'security_barrier=true' and pg_get_viewdef(c.oid) ~ 'auth\.(uid|jwt)\(\)|accessible_profiles|is_service_role') $$,
  'every view that shows more than its reader may read bounds the rows behind a security barrier');
select * from finish();
