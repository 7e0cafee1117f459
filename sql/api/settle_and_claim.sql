-- Settles a batch and claims the next one, in one round trip and one transaction: both happen, or neither does.
--
-- Lock order: the worker's row, the rows of the settled jobs by id, and then nothing that anybody could be waited for. The claim holds locks by
-- then, so it only tries those of capped queues and of providers' limits, and skips rows that are locked. It may therefore get fewer jobs
-- than are due. Without outcomes it holds nothing, and waits as claim_jobs does.
--
-- Caps and limits stay exact: the claim counts what runs under the lock of the queue, this settlement included, and both are seen by others
-- when the lock is free again.
create or replace function public.settle_and_claim(
  p_worker text, p_outcomes jsonb, p_queues text[], p_max int, p_kinds text[] default null, p_leave_external boolean default false)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queues text[] := case when p_leave_external
    then array(select q.queue from mill.queue q where q.queue = any (p_queues) and q.served_by <> 'external') else p_queues end;
  v_settled jsonb := jsonb '[]';
  v_jobs jsonb;
begin
  perform mill.worker_seen(p_worker, v_queues);
  if p_outcomes is distinct from '[]' then
    v_settled := public.settle_jobs(p_worker, p_outcomes);
  end if;
  perform mill.reclaim_while_pump_is_silent(); -- after the settlement: it locks rows in whatever order, and skips those that are locked
  select coalesce(jsonb_agg(to_jsonb(c)), '[]') into v_jobs
  from mill.claim(p_worker, v_queues, p_max, p_kinds, p_waits => p_outcomes = '[]') c;
  return jsonb_build_object('settled', v_settled, 'jobs', v_jobs);
end
$$;

comment on function public.settle_and_claim(text, jsonb, text[], int, text[], boolean) is 'Settles a batch of outcomes and leases due jobs to the same worker, as {settled: [{id, status}], jobs: [job]}.';
revoke execute on function public.settle_and_claim(text, jsonb, text[], int, text[], boolean) from public, anon, authenticated;
grant execute on function public.settle_and_claim(text, jsonb, text[], int, text[], boolean) to service_role;
