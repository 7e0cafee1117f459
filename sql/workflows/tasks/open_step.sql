-- Opens a step whose needs have ended, or skips it when one of them is not completed and it does not tolerate that.
-- Says which of its tasks are ready, which were skipped and which have failed.
create or replace function mill.open_step(
  p_job mill.workflow, p_step mill.workflow_step, out ready uuid[], out skipped uuid[], out failed uuid[])
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_runs boolean := (p_step.tolerant or not exists (
    select from mill.step s where s.job_id = p_job.id and s.key = any (p_step.needs || p_step.each_of)
      and (s.state = 'skipped' or s.key <> coalesce(p_step.each_of, '') and s.state = 'partial')))
    -- Its items are those of a step that never came to have any.
    and not exists (
      select from mill.step s where s.job_id = p_job.id and s.key = p_step.key and s.total is null and p_step.each_of is not null);
begin
  ready := '{}';
  failed := '{}';
  if not v_runs then
    skipped := array(select t.id from mill.task t where t.job_id = p_job.id and t.key = p_step.key and t.state = 'waiting');
    update mill.step s set state = 'skipped' where s.job_id = p_job.id and s.key = p_step.key;
    perform mill.end_waiting_tasks(p_job.id, skipped, 'skipped', null);
    return;
  end if;

  update mill.step s set state = 'open' where s.job_id = p_job.id and s.key = p_step.key;
  if p_step.is_inserted then
    skipped := '{}'; -- Which of its tasks are ready is for mill.follow_items to say.
    return;
  end if;
  if p_step.for_each is not null
    and exists (select from mill.step s where s.job_id = p_job.id and s.key = p_step.key and s.total is null)
  then
    ready := mill.expand_step(p_job, p_step, 'queued');
    if ready <> '{}' then
      skipped := '{}';
      return;
    end if;
  end if;
  failed := array(select t.id from mill.task t where t.job_id = p_job.id and t.key = p_step.key and t.item = -1 and t.state = 'waiting');
  perform mill.end_waiting_tasks(p_job.id, failed, 'failed', jsonb_build_object('type', 'not_a_list', 'retryable', false, 'message',
    format('"%s" goes over %s, which is no list or one that is too long', p_step.key, array_to_string(p_step.for_each, '.'))));

  select coalesce(array_agg(t.id) filter (where p.id is null or p.state = 'completed' or p_step.tolerant), '{}'),
    coalesce(array_agg(t.id) filter (where p.state <> 'completed' and not p_step.tolerant), '{}')
  into ready, skipped
  from mill.task t
  left join mill.task p on p.job_id = p_job.id and p.key = p_step.each_of and p.item = t.item
  where t.job_id = p_job.id and t.key = p_step.key and t.state = 'waiting'
    and (p.id is null or p.state in ('completed', 'failed', 'cancelled', 'skipped'));
  perform mill.end_waiting_tasks(p_job.id, skipped, 'skipped', null);
end
$$;

comment on function mill.open_step(mill.workflow, mill.workflow_step) is 'Opens or skips a step whose needs have ended.';
revoke execute on function mill.open_step(mill.workflow, mill.workflow_step) from public;
