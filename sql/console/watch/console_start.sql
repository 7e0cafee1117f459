-- What a page needs once, when it opens.
create or replace function public.console_start() returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console('viewer');
begin
  return jsonb_build_object(
    'role', v_role, 'actor', mill.console_actor(), 'now', mill.now(),
    'may', jsonb_build_object('act', v_role <> 'viewer', 'administer', v_role = 'admin', 'reveal', v_role = 'admin', 'schedule', v_role <> 'viewer'),
    'version', mill.version(),
    'parts', (select coalesce(jsonb_agg(p.part order by p.part), '[]') from mill.part p),
    -- Applications may lie in a schema of their own: their RPCs are asked there.
    'schemas', (select coalesce(jsonb_object_agg(p.part, p.schema), '{}') from mill.part p where p.schema <> 'public'),
    'profiles', (
      select coalesce(jsonb_object_agg(f.proname, s.schema), '{}')
      from (select distinct p.schema from mill.part p where p.schema <> 'public') s
      join pg_catalog.pg_namespace n on n.nspname = s.schema
      join pg_catalog.pg_proc f on f.pronamespace = n.oid and f.proname like 'console\_%'),
    'payloads', mill.setting('console.payloads', 'masked'),
    'queues', (select coalesce(jsonb_agg(jsonb_build_object('queue', q.queue, 'description', q.description, 'served_by', q.served_by, 'paused', q.paused) order by q.queue), '[]')
      from (select * from mill.queue order by queue limit 500) q),
    'kinds', (select coalesce(jsonb_agg(jsonb_build_object('kind', k.kind, 'queue', k.queue, 'description', k.description, 'sensitive', mill.is_sensitive(k.kind)) order by k.kind), '[]')
      from (select * from mill.kind order by kind limit 1000) k),
    'limits', '{"search_characters": 500, "search_terms": 20, "ids": 500, "reason_characters": 500, "watch": 25}'::jsonb);
end
$$;

comment on function public.console_start() is 'The caller''s role in the console, who that is, and which parts, queues and kinds there are. For viewers of the console.';
revoke execute on function public.console_start() from public, anon;
grant execute on function public.console_start() to authenticated, service_role;
