-- Who suspends a job and who sends it an event do so one after the other. The row of the job would not do: a job that waits packed has none.
create or replace function mill.lock_steps(p_job uuid) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$ select pg_advisory_xact_lock(hashtextextended('mill.job_step ' || p_job, 0)) $$;

comment on function mill.lock_steps(uuid) is 'Holds the steps and events of a job until the transaction ends.';
revoke execute on function mill.lock_steps(uuid) from public;

create or replace function mill.forget_steps(p_jobs uuid[]) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  delete from mill.job_step s where s.job = any (p_jobs);
  delete from mill.job_event e where e.job = any (p_jobs);
$$;

comment on function mill.forget_steps(uuid[]) is 'Deletes what is kept of the steps and events of jobs that are deleted.';
revoke execute on function mill.forget_steps(uuid[]) from public;
