-- Ends tasks that never ran: skipped, or failed before they could start. One update of each step.
create or replace function mill.end_waiting_tasks(p_job_id uuid, p_ids uuid[], p_state text, p_error jsonb) returns void
language sql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
  with ended as (
    update mill.task t set state = p_state, error = p_error, finished_at = mill.now()
    where t.id = any (p_ids) and t.state in ('waiting', 'queued')
    returning t.key
  )
  update mill.step s set
    failed = s.failed + case p_state when 'failed' then c.n else 0 end,
    skipped = s.skipped + case p_state when 'skipped' then c.n else 0 end
  from (select e.key, count(*)::int as n from ended e group by e.key) c
  where s.job_id = p_job_id and s.key = c.key
$$;

comment on function mill.end_waiting_tasks(uuid, uuid[], text, jsonb) is 'Ends tasks that have not been started, as skipped or failed.';
revoke execute on function mill.end_waiting_tasks(uuid, uuid[], text, jsonb) from public;
