create or replace function public.get_export(p_id uuid) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  -- Null for an unknown one and for another's alike.
  select mill.export_json(e) from mill.export e where e.id = p_id and e.owner = auth.uid()
$$;

comment on function public.get_export(uuid) is 'One export of the caller''s, or null.';
revoke execute on function public.get_export(uuid) from public, anon, service_role;
grant execute on function public.get_export(uuid) to authenticated;
