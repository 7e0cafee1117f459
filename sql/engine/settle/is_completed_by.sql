-- Tells a repeated call from a late one. A worker whose answer was lost asks again: this very holder has completed the job, so the
-- application's rows are there as well. Asked only when the holder has no job any more: it looks into each day of job_done.
create or replace function mill.is_completed_by(p_holder mill.holder) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
begin
  return exists (
    select from mill.job_done j
    where j.id = p_holder.job and j.attempt = p_holder.attempt and j.worker = p_holder.worker and j.state = 'completed');
end
$$;

comment on function mill.is_completed_by(mill.holder) is 'Whether this holder has completed its job: true for a call that repeats one whose answer was lost.';
revoke execute on function mill.is_completed_by(mill.holder) from public;
