-- Decides at commit what becomes of the tasks that a transaction has ended. Jobs that must be advanced now are locked
-- all at once and by id, after every row of the engine. The others (mill.can_count_later) are advanced if nobody holds them and
-- it was not done within a tenth of a second: a busy list costs ten updates of its job a second, however many batches
-- there are. What is left lies in mill.ended for the next batch, and for the tick.
create or replace function mill.advance_ended(p_xid xid8, p_after bigint) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_waits uuid[];
  v_must uuid[];
  v_id uuid;
begin
  select coalesce(array_agg(t.parent) filter (where t.waits), '{}'), coalesce(array_agg(t.parent) filter (where not t.waits), '{}')
  into v_waits, v_must
  from (
    select e.parent, bool_and(mill.can_count_later(e)) as waits from mill.ended e where e.xid = p_xid and e.n > p_after group by e.parent) t;

  perform from mill.workflow j where j.id = any (v_must) order by j.id for update;
  foreach v_id in array v_must || array(
    select j.id from mill.workflow j
    where j.id = any (v_waits) and j.updated_at <= mill.now() - interval '100 milliseconds'
    for update skip locked)
  loop
    perform mill.catch_up_workflow(v_id);
  end loop;
end
$$;

comment on function mill.advance_ended(xid8, bigint) is 'Advances the workflows whose tasks a transaction has ended, or leaves that to the next.';
revoke execute on function mill.advance_ended(xid8, bigint) from public;
