-- The jobs of an invocation are settled, so the invocation has ended. If its queue still has due jobs, the next invocation is asked for
-- at once, so that a backlog drains without waiting for the pump.
create or replace function mill.end_invocation(p_invocation uuid) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queue text;
begin
  update mill.invocation i set ended_at = mill.now(), jobs = null
  where i.id = p_invocation and i.begun_at is not null and i.ended_at is null
  returning i.queue into v_queue;
  if v_queue is not null then
    perform mill.wake(q, 'more') from mill.queue q where q.queue = v_queue;
  end if;
end
$$;

comment on function mill.end_invocation(uuid) is 'Ends an invocation whose jobs are settled, and asks for the next one where jobs are due.';
revoke execute on function mill.end_invocation(uuid) from public;
