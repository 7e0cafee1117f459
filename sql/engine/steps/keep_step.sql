create or replace function mill.refuse_step(p_problem text, p_hint text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception '%', p_problem using errcode = 'GM016', hint = coalesce(p_hint, 'docs/steps.md says what steps and events may have.');
end
$$;

comment on function mill.refuse_step(text, text) is 'Raises GM016.';
revoke execute on function mill.refuse_step(text, text) from public;

-- Writes a step that is not there yet. The caller holds the job. A job that was lost by its workers and goes on all the same is no poison: from each step
-- that it finishes its losses are counted anew, and the attempts that they have cost are given back.
create or replace function mill.keep_step(p_step mill.job_step) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_max int := mill.setting('steps.result_max_bytes', '262144')::int;
  v_kept record;
begin
  if p_step.step is null or length(p_step.step) not between 1 and 200 then
    perform mill.refuse_step('a step needs a name of up to 200 characters', null);
  end if;
  if pg_column_size(p_step.result) > v_max then
    perform mill.refuse_step(format('the result of the step "%s" is larger than %s bytes', p_step.step, v_max), 'Store the content elsewhere and answer a reference to it.');
  end if;
  select count(*) as steps, coalesce(sum(pg_column_size(s.result)), 0) as bytes into v_kept from mill.job_step s where s.job = p_step.job;
  if v_kept.steps >= mill.setting('steps.max_per_job', '1000')::int then
    perform mill.refuse_step(format('the job has %s steps, and one job has no more', v_kept.steps), 'Do many things in one step, or enqueue a job for each.');
  elsif v_kept.bytes + coalesce(pg_column_size(p_step.result), 0) > mill.setting('steps.total_max_bytes', '8388608')::int then
    perform mill.refuse_step('the results of the steps of the job are too large together', 'Store the content elsewhere and answer references to it.');
  end if;
  insert into mill.job_step (job, step, n, attempt, at, until, event, state, result)
  values (p_step.job, p_step.step, v_kept.steps + 1, p_step.attempt, mill.now(), p_step.until, p_step.event, p_step.state, p_step.result);
  if p_step.state = 'finished' then
    update mill.job_live j set max_attempts = j.max_attempts + j.lease_losses, lease_losses = 0 where j.id = p_step.job and j.lease_losses > 0;
  end if;
end
$$;

comment on function mill.keep_step(mill.job_step) is 'Writes a new step of a job within the limits of one job.';
revoke execute on function mill.keep_step(mill.job_step) from public;
