-- One call claims a batch. With p_invocation, it is that invocation's single claim: a replayed or duplicated
-- wake-up finds it begun and gets nothing. Its leases end with the time that an invocation may take.
--
-- Our function and our container worker leave external queues to others, from the moment at which a queue is set so: an invocation that was
-- asked for before finds nothing.
create or replace function public.claim_jobs(
  p_worker text, p_queues text[], p_max int, p_kinds text[] default null, p_invocation uuid default null, p_leave_external boolean default false)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queues text[] := case when p_leave_external or p_invocation is not null
    then array(select q.queue from mill.queue q where q.queue = any (p_queues) and q.served_by <> 'external') else p_queues end;
  v_jobs jsonb;
  v_lease int;
begin
  if p_invocation is not null then
    -- A request that was given up may arrive after all.
    update mill.invocation i set begun_at = mill.now(), worker = p_worker, ended_at = null, failure = null
    from mill.queue q
    where i.id = p_invocation and i.begun_at is null and q.queue = i.queue
    returning least(q.lease_seconds, q.invocation_seconds) into v_lease;
    if not found then
      return '[]'::jsonb;
    end if;
  else
    perform mill.worker_seen(p_worker, v_queues);
  end if;
  perform mill.reclaim_while_pump_is_silent();

  select coalesce(jsonb_agg(to_jsonb(c)), '[]'::jsonb) into v_jobs from mill.claim(p_worker, v_queues, p_max, p_kinds, v_lease) c;

  -- An invocation that found nothing has nothing to settle: it ends here.
  if p_invocation is not null then
    update mill.invocation i
    set claimed = jsonb_array_length(v_jobs),
      jobs = array(select (j ->> 'id')::uuid from jsonb_array_elements(v_jobs) j),
      ended_at = case when v_jobs = '[]' then mill.now() end
    where i.id = p_invocation;
  end if;
  return v_jobs;
end
$$;

comment on function public.claim_jobs(text, text[], int, text[], uuid, boolean) is 'Leases due jobs to a worker, as an array.';
revoke execute on function public.claim_jobs(text, text[], int, text[], uuid, boolean) from public, anon, authenticated;
grant execute on function public.claim_jobs(text, text[], int, text[], uuid, boolean) to service_role;
