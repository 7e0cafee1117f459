-- The compatible call names no worker: it acts on a job that is processing under the lease which a compat claim gave out last.
create or replace function public.reschedule_job(
  p_job_id uuid, p_delay_seconds int, p_reason text, p_add_jitter boolean default true)
returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_delay numeric := greatest(coalesce(p_delay_seconds, mill.setting('queue.backpressure_delay_seconds', '30')::numeric), 0);
  v_jitter numeric := case when coalesce(p_add_jitter, true) then round(random()::numeric * least(v_delay / 2, 30), 3) else 0 end;
begin
  return mill.reschedule_compat_lease(p_job_id, v_delay, v_jitter, coalesce(p_reason, 'rescheduled'));
end
$$;

comment on function public.reschedule_job(uuid, int, text, boolean) is
  'Puts a running job off without consuming an attempt, with jitter of at most half of the delay and 30 s; false when no compat claim holds it.';
revoke execute on function public.reschedule_job(uuid, int, text, boolean) from public, anon, authenticated;
grant execute on function public.reschedule_job(uuid, int, text, boolean) to service_role;
