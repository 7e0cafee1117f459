-- For deployments without pg_cron: a Cloudflare cron trigger or the container worker calls this.
create or replace function public.tick() returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$ select mill.pump_once() $$;

comment on function public.tick() is 'One round of the pump: reclaim, promote, invoke.';
revoke execute on function public.tick() from public, anon, authenticated;
grant execute on function public.tick() to service_role;
