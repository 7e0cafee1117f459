create or replace function mill.write_ended(p_job_id uuid) returns void
language sql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
  with kept as (
    delete from mill.ended e where e.parent = p_job_id and e.counted returning e.*)
  update mill.task t set state = k.state, output = u.output, finished_at = k.at
  from kept k cross join lateral unnest(k.ids, k.results) as u(id, output)
  where t.id = u.id and t.state = 'queued'
$$;

comment on function mill.write_ended(uuid) is 'Writes to the tasks of a job what mill.ended keeps of them. The caller holds the job.';
revoke execute on function mill.write_ended(uuid) from public;
