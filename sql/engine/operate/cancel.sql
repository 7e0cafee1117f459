-- Lock order: packs, then jobs by id. A waiting job is cancelled now; one that runs is flagged: its worker learns at the next
-- heartbeat, whatever it settles is refused, and if it is never heard of again, reclaim ends the job.
create or replace function mill.cancel(p_ids uuid[]) returns table (id uuid, status text)
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_waiting uuid[];
  v_running uuid[];
begin
  perform mill.unpack_jobs(p_ids);
  select coalesce(array_agg(j.id) filter (where j.state <> 'processing'), '{}'),
    coalesce(array_agg(j.id) filter (where j.state = 'processing'), '{}')
  into v_waiting, v_running
  from (
    select j.id, j.state from mill.job_live j where j.id = any (p_ids) order by j.id for update) j;

  perform mill.end_jobs(v_waiting, 'cancelled', mill.now());
  update mill.job_live j set cancel_requested = true where j.id = any (v_running) and not j.cancel_requested;

  perform mill.call_acted_hooks(v_waiting || v_running, 'cancel', null);
  return query
  select distinct a.id,
    case when a.id = any (v_waiting) then 'cancelled' when a.id = any (v_running) then 'requested' else 'not_live' end
  from unnest(p_ids) as a(id);
end
$$;

comment on function mill.cancel(uuid[]) is
  'Cancels jobs: cancelled for a waiting one, requested for a running one, not_live for one that has ended or never was.';
revoke execute on function mill.cancel(uuid[]) from public;
