-- Deferred to the commit of whoever settled, so that locks of jobs are taken last and held for a moment. The first row
-- of a transaction to come here stands for all that are there by then; mill.advanced remembers how far that was. A
-- failure must not take the settling back, or one bad workflow would stall reclaim for everybody: the rows stay, an
-- event says so, and the tick tries again.
create or replace function mill.advance_at_commit() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_after bigint := coalesce(nullif(current_setting('mill.advanced', true), ''), '0')::bigint;
begin
  if new.n <= v_after then
    return null;
  end if;
  perform set_config('mill.advanced', (select max(e.n) from mill.task_ended e where e.xid = new.xid)::text, true);
  begin
    perform mill.advance_ended(new.xid, v_after);
  exception when others then
    insert into mill.event (at, code, detail) values (mill.now(), 'workflow_not_advanced',
      jsonb_build_object('job', new.job_id, 'sqlstate', sqlstate, 'message', sqlerrm));
  end;
  return null;
end
$$;

comment on function mill.advance_at_commit() is 'Advances workflows in the transaction that ended their tasks.';
revoke execute on function mill.advance_at_commit() from public, anon, authenticated;

drop trigger if exists advance_at_commit on mill.task_ended;
create constraint trigger advance_at_commit after insert on mill.task_ended
deferrable initially deferred for each row execute function mill.advance_at_commit();
