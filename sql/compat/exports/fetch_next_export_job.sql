-- The compatible way to claim: one job, of one user when one is named, for 15 minutes. The caps are those of every claim, under the
-- same lock. The lease's worker is 'fetch_next_export_job': complete_job and fail_job take it as p_worker_id.
create or replace function public.fetch_next_export_job(p_user_id uuid default null) returns setof public.export_jobs
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lease_seconds constant int := 900;
  v_queue mill.queue;
  v_id uuid;
begin
  if p_user_id is null then
    select c.id into v_id from mill.claim('fetch_next_export_job', array['exports'], 1, array['export_pdf']) c;
    perform mill.note_compat_leases(array[v_id], v_lease_seconds);
    return query select j.* from public.export_jobs j where j.id = v_id;
    return;
  end if;
  perform mill.promote(100);
  select q.* into v_queue from mill.queue q where q.queue = 'exports' and not q.paused;
  perform pg_advisory_xact_lock(702231, hashtext('exports')); -- as mill.lock_jobs_within_caps
  select j.id into v_id from mill.job_live j
  where j.queue = v_queue.queue and not j.waits and j.state = 'pending'
    and j.lane = mill.lane_of(v_queue.dequeue, v_queue.max_running_per_group, p_user_id, p_user_id::text)
    and (select count(*) from mill.job_live r where r.slot = v_queue.queue and r.owner = p_user_id)
      < coalesce(v_queue.max_running_per_group, 1000000)
    and (select count(*) from mill.job_live r where r.slot = v_queue.queue)
      < coalesce(v_queue.max_running, 1000000)
  order by j.priority desc, j.turn limit 1 for update skip locked;
  update mill.job_live j set state = 'processing', attempt = j.attempt + 1, worker = 'fetch_next_export_job',
    started_at = mill.now(), slot = v_queue.queue, lease_until = mill.now() + make_interval(secs => v_queue.lease_seconds)
  where j.id = v_id;
  perform mill.note_compat_leases(array[v_id], v_lease_seconds);
  return query select j.* from public.export_jobs j where j.id = v_id;
end
$$;

comment on function public.fetch_next_export_job(uuid) is 'Leases the next export, of one user when one is named, within the caps.';
revoke execute on function public.fetch_next_export_job(uuid) from public, anon, authenticated;
grant execute on function public.fetch_next_export_job(uuid) to service_role;
