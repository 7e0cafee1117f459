-- The documented calls carry the worker's name and no attempt: the attempt is that of the lease which this worker
-- holds now. Two processes must therefore not share a name; those that settle by (id, attempt) may.
create or replace function mill.settle_by_name(p_id uuid, p_worker text, p_outcome jsonb) returns boolean
language sql
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(bool_and(s.status = 'accepted'), false)
  from (select j.attempt from mill.job_live j where j.id = p_id and j.worker = p_worker) j
  cross join lateral mill.settle(p_worker, jsonb_build_array(
    p_outcome || jsonb_build_object('id', p_id, 'attempt', j.attempt))) s
$$;

comment on function mill.settle_by_name(uuid, text, jsonb) is 'Settles the job that a worker holds; false when it holds it no more.';
revoke execute on function mill.settle_by_name(uuid, text, jsonb) from public;
