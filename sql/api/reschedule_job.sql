-- The documented call names no worker, so nothing tells the holder from a worker that lost its lease. A job that
-- never lost a lease has only one worker that could be asking; for one that did, the answer is false and nothing
-- changes, and its worker says snoozed to settle_jobs instead, which is fenced.
create or replace function public.reschedule_job(
  p_job_id uuid, p_delay_seconds int, p_reason text default 'rescheduled', p_add_jitter boolean default true)
returns boolean
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(bool_and(mill.settle_by_name(p_job_id, j.worker, jsonb_build_object(
    'outcome', 'snoozed',
    'delay_seconds', greatest(p_delay_seconds, 0) * case when p_add_jitter then 1 + random() * 0.25 else 1 end,
    'error', jsonb_build_object('type', 'rescheduled', 'message', p_reason, 'retryable', true)))), false)
  from mill.job_live j
  where j.id = p_job_id and j.state = 'processing' and j.lease_losses = 0
$$;

comment on function public.reschedule_job(uuid, int, text, boolean) is
  'Puts a running job off without consuming an attempt, with up to a quarter more as jitter; false when the lease is lost.';
revoke execute on function public.reschedule_job(uuid, int, text, boolean) from public, anon, authenticated;
grant execute on function public.reschedule_job(uuid, int, text, boolean) to service_role;
