-- Counting stops at the limit. It counts exactly, because mill.refuse_excess has locked the user before. Deferred and running jobs count too: otherwise
-- a user could fill the tables with jobs for next year.
create or replace function mill.refuse_depth(p_owner uuid, p_kind text) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  v_limit int := mill.setting('users.live_jobs_per_queue', '1000')::int;
  v_queue text := (select k.queue from mill.kind k where k.kind = p_kind);
  v_live int;
begin
  select count(*) into v_live
  from (select from mill.job_live j where j.owner = p_owner and j.queue = v_queue limit v_limit) j;
  if v_live >= v_limit then
    perform mill.refuse_user(format('you have %s jobs in this queue that have not ended', v_limit), v_limit, 5);
  end if;
end
$$;

comment on function mill.refuse_depth(uuid, text) is 'Refuses a user, with GM015 and 429, who has as many live jobs in the queue of a kind as the setting users.live_jobs_per_queue.';
revoke execute on function mill.refuse_depth(uuid, text) from public;
