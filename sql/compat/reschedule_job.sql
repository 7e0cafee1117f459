-- The documented call names no worker: it acts on a job that is processing under the lease which a documented claim gave out last.
create or replace function public.reschedule_job(
  p_job_id uuid, p_delay_seconds int, p_reason text default 'rescheduled', p_add_jitter boolean default true)
returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_delay numeric := greatest(coalesce(p_delay_seconds, mill.setting('queue.backpressure_delay_seconds', '30')::numeric), 0);
begin
  if coalesce(p_add_jitter, true) then
    v_delay := v_delay + random()::numeric * least(v_delay / 2, 30);
  end if;
  return mill.settle_compat_lease(p_job_id, jsonb_build_object('outcome', 'snoozed', 'delay_seconds', v_delay,
    'error', jsonb_build_object('type', 'rescheduled', 'message', coalesce(p_reason, 'rescheduled'), 'retryable', true)));
end
$$;

comment on function public.reschedule_job(uuid, int, text, boolean) is
  'Puts a running job off without consuming an attempt, with jitter of at most half of the delay and 30 s; false when no documented claim holds it.';
revoke execute on function public.reschedule_job(uuid, int, text, boolean) from public, anon, authenticated;
grant execute on function public.reschedule_job(uuid, int, text, boolean) to service_role;
