-- Puts off a job that its holder holds, and says whether it did: false when the job is lost. It is settled as snoozed, which gives the attempt back. The
-- number is counted on all the same, and the attempts that are allowed with it: when the job goes on, no word of who suspended it is taken for the new
-- holder's, also when a worker of the same name claims it.
create or replace function mill.suspend(p_holder mill.holder, p_until timestamptz, p_logs jsonb) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_seconds numeric := case when p_until = 'infinity' then 3155760000 else greatest(extract(epoch from p_until - mill.now()), 0) end;
begin
  if not mill.settle_held(p_holder, jsonb_strip_nulls(jsonb_build_object('outcome', 'snoozed', 'delay_seconds', v_seconds, 'logs', p_logs))) then
    return false;
  end if;
  update mill.job_live j set attempt = j.attempt + 1, max_attempts = j.max_attempts + 1 where j.id = p_holder.job;
  return true;
end
$$;

comment on function mill.suspend(mill.holder, timestamptz, jsonb) is 'Puts off the job of a holder until a time, without using up an attempt; false when it is lost.';
revoke execute on function mill.suspend(mill.holder, timestamptz, jsonb) from public;
