-- Ends one job inside the transaction of an application, so that the job's end and the application's rows are committed together or not
-- at all. p_outcome is an outcome of mill.settle without id and attempt: {outcome, result, error, delay_seconds, usage}.
--
-- False: the holder has lost the job, and the application must write nothing. A job that was asked to cancel is lost too, and ends here as
-- cancelled.
create or replace function mill.settle_held(p_holder mill.holder, p_outcome jsonb) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select from mill.settle(p_holder.worker, jsonb_build_array(
      p_outcome || jsonb_build_object('id', p_holder.job, 'attempt', p_holder.attempt))) s
    where s.status = 'accepted');
end
$$;

comment on function mill.settle_held(mill.holder, jsonb) is 'Settles the job of a holder in the caller''s transaction; false when the job is lost.';
revoke execute on function mill.settle_held(mill.holder, jsonb) from public;
