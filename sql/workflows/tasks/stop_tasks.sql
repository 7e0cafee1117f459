-- Takes tasks that have not begun back from the engine: for a cancelled job they are cancelled, for a failed one they
-- wait again, so that it can be resumed. Tasks that run are told to stop only when the job was cancelled: what they
-- still complete of a failed job is kept.
--
-- The caller holds the job's row and perhaps rows of the engine; waiting for others here could deadlock with a worker
-- that settles and wants the job's row. So what is locked is skipped, and the answer says so: mill.advance_left_behind
-- comes back for it.
create or replace function mill.stop_tasks(p_job_id uuid, p_is_cancelled boolean) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_ids uuid[];
  v_running uuid[];
begin
  select coalesce(array_agg(l.id) filter (where l.state <> 'processing'), '{}'),
    coalesce(array_agg(l.id) filter (where l.state = 'processing'), '{}')
  into v_ids, v_running
  from mill.task t
  cross join lateral (
    select j.id, j.state from mill.job_live j where j.id = t.id for update skip locked) l
  where t.job_id = p_job_id and t.state = 'queued';

  if p_is_cancelled then
    perform mill.end_jobs(v_ids, 'cancelled', mill.now());
    update mill.job_live j set cancel_requested = true where j.id = any (v_running) and not j.cancel_requested;
    update mill.task t set state = 'cancelled', finished_at = mill.now()
    where t.job_id = p_job_id and (t.state = 'waiting' or t.id = any (v_ids));
    return exists (
      select from mill.task t join mill.job_live j on j.id = t.id
      where t.job_id = p_job_id and t.state = 'queued' and not j.cancel_requested);
  end if;
  delete from mill.job_live j where j.id = any (v_ids);
  update mill.task t set state = 'waiting' where t.id = any (v_ids);
  return exists (
    select from mill.task t join mill.job_live j on j.id = t.id
    where t.job_id = p_job_id and t.state = 'queued' and j.state <> 'processing');
end
$$;

comment on function mill.stop_tasks(uuid, boolean) is 'Takes back what has not begun; true when something could not be reached.';
revoke execute on function mill.stop_tasks(uuid, boolean) from public;
