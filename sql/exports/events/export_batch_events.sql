create or replace function public.export_batch_events(p_id uuid, p_after bigint default 0) returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.export_events_after(
    b.owner, array(select i.export_id from mill.export_batch_item i where i.batch_id = b.id), p_after)
  from mill.export_batch b where b.id = p_id and b.owner = auth.uid()
$$;

comment on function public.export_batch_events(uuid, bigint) is 'Events of all exports of a batch of the caller''s after one, or null.';
revoke execute on function public.export_batch_events(uuid, bigint) from public, anon, service_role;
grant execute on function public.export_batch_events(uuid, bigint) to authenticated;
