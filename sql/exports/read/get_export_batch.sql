create or replace function public.get_export_batch(p_id uuid) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.export_batch_json(b.id) from mill.export_batch b where b.id = p_id and b.owner = auth.uid()
$$;

comment on function public.get_export_batch(uuid) is 'One batch of the caller''s with its exports, or null.';
revoke execute on function public.get_export_batch(uuid) from public, anon, service_role;
grant execute on function public.get_export_batch(uuid) to authenticated;
