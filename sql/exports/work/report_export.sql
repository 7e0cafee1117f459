create or replace function public.report_export(p_job uuid, p_worker text, p_attempt int, p_progress int, p_message text) returns boolean
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.move_export((p_job, p_worker, p_attempt)::mill.holder, least(greatest(p_progress, 0), 99), left(p_message, 200)) is not null
$$;

comment on function public.report_export(uuid, text, int, int, text) is 'How far an export is; false tells the worker to stop.';
revoke execute on function public.report_export(uuid, text, int, int, text) from public, anon, authenticated;
grant execute on function public.report_export(uuid, text, int, int, text) to service_role;
