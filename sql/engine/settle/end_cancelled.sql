-- A worker that still holds a job which was asked to cancel has now been told: the job ends here. Skips what
-- is locked: the caller holds locks already, and the next heartbeat or reclaim ends it as well.
create or replace function mill.end_cancelled(p_worker text, p_leases jsonb) returns uuid[]
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_ids uuid[] := array(
    select j.id
    from jsonb_to_recordset(p_leases) as l(id uuid, attempt int)
    cross join lateral (
      select j.id from mill.job_live j
      where j.id = l.id and j.attempt = l.attempt and j.worker = p_worker and j.state = 'processing'
        and j.cancel_requested
      for update skip locked) j);
begin
  if v_ids <> '{}' then
    perform mill.end_jobs(v_ids, 'cancelled', mill.now());
  end if;
  return v_ids;
end
$$;

comment on function mill.end_cancelled(text, jsonb) is 'Ends the jobs among a worker''s leases that were asked to cancel; says which.';
revoke execute on function mill.end_cancelled(text, jsonb) from public;
