-- The compatible calls carry the worker's name and no attempt: the attempt is that of the lease which this worker
-- holds now. Two processes must therefore not share a name; those that settle by (id, attempt) may.
create or replace function mill.settle_by_name(p_id uuid, p_worker text, p_outcome jsonb) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_lease mill.compat_lease := mill.lock_compat_lease(p_id);
begin
  if v_lease.id is null or v_lease.worker is distinct from p_worker or not mill.settle_held((p_id, p_worker, v_lease.attempt)::mill.holder, p_outcome) then
    return false;
  end if;
  delete from mill.compat_lease c where c.id = p_id;
  return true;
end
$$;

comment on function mill.settle_by_name(uuid, text, jsonb) is 'Settles the job that a compat claim gave to this worker; false when the worker holds it no more.';
revoke execute on function mill.settle_by_name(uuid, text, jsonb) from public;
