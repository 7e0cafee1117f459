create or replace function public.set_maintenance(p_enabled boolean, p_reason text default null, p_retry_after_seconds int default 60)
returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('mill.reason', coalesce(p_reason, ''), true); -- for the audit log
  insert into public.system_configuration as c (config_key, config_value, config_type, description) values
    ('maintenance.enabled', to_jsonb(coalesce(p_enabled, false)), 'boolean', 'Writing routes answer 503; reads and running jobs go on'),
    ('maintenance.reason', to_jsonb(coalesce(p_reason, '')), 'string', 'Why; callers are told'),
    ('maintenance.retry_after_seconds', to_jsonb(least(greatest(coalesce(p_retry_after_seconds, 60), 1), 86400)), 'number', 'When callers should come back')
  on conflict (config_key) do update set config_value = excluded.config_value, updated_at = mill.now();
  return coalesce(p_enabled, false);
end
$$;

comment on function public.set_maintenance(boolean, text, int) is 'Stops users'' writes, or lets them go on; says whether they are stopped now.';
revoke execute on function public.set_maintenance(boolean, text, int) from public, anon, authenticated;
grant execute on function public.set_maintenance(boolean, text, int) to service_role;
