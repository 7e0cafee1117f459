-- Writes a job once: status, and progress from its steps. Percent is by weight; the phase is the one within whose
-- share of the weight the percentage lies, so it never goes back although documents overtake each other.
--
-- Only what was made counts. A task that failed counts when its step has ended and the job goes on without it. The phase of a failed job is the one
-- in which it failed.
create or replace function mill.keep_progress(p_job mill.workflow) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_at record;
  v_docs record;
begin
  with step as (
    select w.phase, w.position, w.weight, s.state not in ('waiting', 'open') as ended,
      s.completed + case when p_job.status = 'failed' then 0 else s.skipped end as n, s.completed = coalesce(s.total, 0) as made, coalesce(s.total, 0) as total
    from mill.step s
    join mill.workflow_step w on w.type = p_job.type and w.version = p_job.version and w.key = s.key
    where s.job_id = p_job.id and not w.is_compensation
  ),
  phase as (
    select p.phase, min(p.position) as position, sum(p.n) as n, sum(p.total) as total,
      coalesce(sum(sum(p.weight)) over (order by min(p.position) rows between unbounded preceding and 1 preceding), 0) as begins
    from step p group by p.phase
  ),
  overall as (
    select sum(p.weight) as weight, bool_and(p.ended) as ended,
      sum(p.weight * case when p.ended and (p.made or p_job.status <> 'failed') then 1 when p.total > 0 then p.n::numeric / p.total else 0 end) as done
    from step p
  )
  select o.ended, o.done > 0 as begun, floor(100 * o.done / o.weight)::int as percent, h.phase, h.n, h.total into v_at
  from overall o join lateral (
    select p.* from phase p where p.begins <= o.done order by p.begins desc limit 1) h on true;

  select s.completed, s.total into v_docs from mill.step s join public.workflow_definition d on d.documents = s.key
  where s.job_id = p_job.id and d.type = p_job.type and d.version = p_job.version;

  if p_job.status in ('queued', 'processing') and v_at.ended and not p_job.compensating then
    p_job.status := 'completed';
    p_job.output := mill.workflow_output(p_job);
  elsif p_job.status = 'queued' and v_at.begun then
    p_job.status := 'processing';
  end if;
  p_job.percent := case when p_job.status = 'completed' then 100 else greatest(p_job.percent, least(coalesce(v_at.percent, 0), 99)) end;
  p_job.phase := case
    when p_job.status = 'completed' then 'complete' when p_job.compensating then 'compensating'
    when p_job.status = 'failed' then coalesce((
      select w.phase from mill.workflow_step w
      where w.type = p_job.type and w.version = p_job.version and w.key = p_job.error ->> 'task'), p_job.phase)
    when p_job.status in ('queued', 'cancelled') then p_job.phase else v_at.phase end;
  p_job.message := case
    when p_job.status = 'completed' then 'Complete'
    when p_job.status = 'cancelled' then 'Cancelled'
    when p_job.error is not null then format('%s failed: %s', p_job.error ->> 'task', p_job.error ->> 'message')
    when p_job.status = 'queued' then 'Queued'
    else format('%s: %s of %s', initcap(v_at.phase), v_at.n, v_at.total) end;

  update mill.workflow j set
    status = p_job.status, percent = p_job.percent, phase = p_job.phase, message = p_job.message, output = p_job.output,
    error = p_job.error, compensating = p_job.compensating, stragglers = p_job.stragglers,
    docs_complete = coalesce(v_docs.completed, 0), docs_total = coalesce(v_docs.total, 0),
    revision = j.revision + 1, updated_at = mill.now(),
    finished_at = case when p_job.status in ('completed', 'failed', 'cancelled') then coalesce(j.finished_at, mill.now()) end
  where j.id = p_job.id and (j.status, j.percent, j.phase, j.message, j.docs_complete, j.docs_total, j.stragglers, j.compensating)
    is distinct from (p_job.status, p_job.percent, p_job.phase, p_job.message, coalesce(v_docs.completed, 0),
      coalesce(v_docs.total, 0), p_job.stragglers, p_job.compensating);
end
$$;

comment on function mill.keep_progress(mill.workflow) is 'Writes what changed about a job, in one update.';
revoke execute on function mill.keep_progress(mill.workflow) from public;
