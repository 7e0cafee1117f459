create or replace function public.list_workflows(p_limit int default 50, p_before uuid default null) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(mill.shown_progress(j) order by j.id desc), '[]')
  from (
    select * from mill.workflow j
    where (public.is_service_role() or j.user_id = auth.uid()) and (p_before is null or j.id < p_before)
    order by j.id desc limit least(greatest(p_limit, 1), 200)) j
$$;

comment on function public.list_workflows(int, uuid) is 'The caller''s jobs (all, for the service), newest first; p_before is the last id of the page before.';
revoke execute on function public.list_workflows(int, uuid) from public, anon;
grant execute on function public.list_workflows(int, uuid) to authenticated, service_role;
