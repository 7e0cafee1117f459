create or replace function public.cancel_workflow(p_id uuid) returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.refuse_in_maintenance();
  -- Null for an unknown job and for another's alike.
  select mill.stop_workflow(j.id) from mill.workflow j where j.id = p_id and (public.is_service_role() or j.user_id = auth.uid())
$$;

comment on function public.cancel_workflow(uuid) is
  'Cancels a job of the caller''s: {id, status, cancelled, running}. Raises GM067 when it has ended already.';
revoke execute on function public.cancel_workflow(uuid) from public, anon;
grant execute on function public.cancel_workflow(uuid) to authenticated, service_role;
