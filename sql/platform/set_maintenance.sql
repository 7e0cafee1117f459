create or replace function public.set_maintenance(p_enabled boolean, p_reason text default null, p_retry_after_seconds int default 60)
returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('mill.reason', coalesce(p_reason, ''), true); -- for the audit log
  insert into mill.settings (key, value, type, description) values
    ('maintenance.enabled', coalesce(p_enabled, false)::text, 'boolean', 'Writing routes answer 503; reads and running jobs go on'),
    ('maintenance.reason', coalesce(p_reason, ''), 'string', 'Why; callers are told'),
    ('maintenance.retry_after_seconds', least(greatest(coalesce(p_retry_after_seconds, 60), 1), 86400)::text, 'number', 'When callers should come back')
  on conflict (key) do update set value = excluded.value, updated_at = mill.now();
  return coalesce(p_enabled, false);
end
$$;

comment on function public.set_maintenance(boolean, text, int) is 'Stops users'' writes, or lets them go on; says whether they are stopped now.';
revoke execute on function public.set_maintenance(boolean, text, int) from public, anon, authenticated;
grant execute on function public.set_maintenance(boolean, text, int) to service_role;
