-- For deployments without cron: a Cloudflare cron trigger says which function it belongs to and what it was set to.
create or replace function public.run_schedules(p_trigger_of text, p_schedule text) returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_object_agg(s.name, mill.run_schedule(s.name)), '{}')
  from mill.schedule s where s.trigger_of = p_trigger_of and s.schedule = p_schedule
$$;

comment on function public.run_schedules(text, text) is 'Runs what a cron trigger stands for; says for each schedule whether it succeeded.';
revoke execute on function public.run_schedules(text, text) from public, anon, authenticated;
grant execute on function public.run_schedules(text, text) to service_role;
