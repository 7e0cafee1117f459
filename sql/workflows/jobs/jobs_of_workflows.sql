-- A task may be of any kind, so the kinds of this part do not tell its jobs.
create or replace function mill.jobs_of_workflows() returns setof uuid
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select t.id from mill.task t where t.state = 'queued' $$;

comment on function mill.jobs_of_workflows() is 'The tasks that are jobs of the engine now. For mill.jobs_of_part alone.';
revoke execute on function mill.jobs_of_workflows() from public;
