-- Ids grow with time: the last one of a page is where the next begins.
create or replace function public.list_exports(p_limit int default 50, p_before uuid default null) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(mill.export_json(p.export) order by (p.export).id desc), '[]')
  from (
    select e as export from mill.export e
    where e.owner = auth.uid() and (p_before is null or e.id < p_before)
    order by e.id desc
    limit least(greatest(p_limit, 1), 100)) p
$$;

comment on function public.list_exports(int, uuid) is 'The caller''s exports, newest first.';
revoke execute on function public.list_exports(int, uuid) from public, anon, service_role;
grant execute on function public.list_exports(int, uuid) to authenticated;
