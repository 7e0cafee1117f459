create or replace function public.pause_schedule(p_schedule text, p_paused boolean default true) returns boolean
language sql security definer
set search_path = pg_catalog, pg_temp
as $$ select mill.pause_job_schedule(p_schedule, p_paused) $$;

comment on function public.pause_schedule(text, boolean) is 'Stops a schedule, or lets it go on with its next due time; says whether it is paused now.';
revoke execute on function public.pause_schedule(text, boolean) from public, anon, authenticated;
grant execute on function public.pause_schedule(text, boolean) to service_role;
