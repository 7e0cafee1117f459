-- Item i of a step goes after item i of the one it goes along, without waiting for the others. Inserted tasks go after those whose output
-- they need.
create or replace function mill.follow_items(p_job mill.workflow, p_ended uuid[], out ready uuid[], out skipped uuid[])
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
begin
  ready := '{}';
  skipped := '{}';
  if exists (select from mill.workflow_step w where w.type = p_job.type and w.version = p_job.version and w.is_inserted) then
    ready := mill.due_in_sequence(p_job.id);
    return;
  end if;
  if p_ended = '{}' or not exists (
    select from mill.workflow_step w where w.type = p_job.type and w.version = p_job.version and w.each_of is not null)
  then
    return;
  end if;

  select coalesce(array_agg(t.id) filter (where p.state = 'completed' or w.tolerant), '{}'),
    coalesce(array_agg(t.id) filter (where p.state <> 'completed' and not w.tolerant), '{}')
  into ready, skipped
  from mill.task p
  join mill.workflow_step w on w.type = p_job.type and w.version = p_job.version and w.each_of = p.key
  join mill.step s on s.job_id = p_job.id and s.key = w.key and s.state = 'open'
  join mill.task t on t.job_id = p_job.id and t.key = w.key and t.item = p.item and t.state = 'waiting'
  where p.id = any (p_ended) and p.job_id = p_job.id;
  perform mill.end_waiting_tasks(p_job.id, skipped, 'skipped', null);
end
$$;

comment on function mill.follow_items(mill.workflow, uuid[]) is 'What became possible because items have ended.';
revoke execute on function mill.follow_items(mill.workflow, uuid[]) from public;
