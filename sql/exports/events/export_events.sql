create or replace function public.export_events(p_id uuid, p_after bigint default 0) returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.export_events_after(e.owner, array[e.id], p_after)
  from mill.export e where e.id = p_id and e.owner = auth.uid()
$$;

comment on function public.export_events(uuid, bigint) is
  'Events of an export of the caller''s after one: {events: [{id, event, data}], ended}, or null.';
revoke execute on function public.export_events(uuid, bigint) from public, anon, service_role;
grant execute on function public.export_events(uuid, bigint) to authenticated;
