-- mill.held_job for a batch of one worker. p_leases is [{id, attempt}]; other keys are ignored, so outcomes of mill.settle fit as well.
-- Lock order: by id, as everywhere.
create or replace function mill.held_jobs(p_worker text, p_leases jsonb) returns setof mill.job_live
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
begin
  return query
  select h.*
  from (select distinct l.id, l.attempt from jsonb_to_recordset(p_leases) as l(id uuid, attempt int) order by l.id) l
  cross join lateral (
    select j.* from mill.job_live j
    where j.id = l.id and j.attempt = l.attempt and j.worker = p_worker and j.state = 'processing' and not j.cancel_requested
    for update) h;
end
$$;

comment on function mill.held_jobs(text, jsonb) is 'The running jobs among [{id, attempt}] that a worker holds, locked until the transaction ends. Jobs that were asked to cancel are left out.';
revoke execute on function mill.held_jobs(text, jsonb) from public;
