create or replace function public.health_report() returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'pump_age_seconds', (
      select extract(epoch from mill.now() - h.at) from mill.heartbeat h where h.part = 'pump'),
    'oldest_due_seconds', (
      select extract(epoch from mill.now() - min(j.run_at)) from mill.job_live j where j.state = 'pending'),
    'pending', (select count(*) from mill.job_live j where j.state = 'pending'),
    'processing', (select count(*) from mill.job_live j where j.state = 'processing'),
    'dead', (select count(*) from mill.job_dead))
$$;

comment on function public.health_report() is 'What the health function judges: ages and counts, no content.';
revoke execute on function public.health_report() from public, anon, authenticated;
grant execute on function public.health_report() to service_role;
