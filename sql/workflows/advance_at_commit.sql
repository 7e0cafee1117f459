-- Deferred to the commit of whoever settled, so that locks of jobs are taken last and held for a moment, and once
-- however many calls the transaction made. A failure here must not take the settling back, or one bad workflow would
-- stall reclaim for everybody: the row stays, an event says so, and the tick tries again.
create or replace function mill.advance_at_commit() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from mill.task_ended e where e.xid = new.xid and e.n = new.n) then
    perform mill.advance_ended(new.xid);
  end if;
  return null;
exception when others then
  insert into mill.event (at, code, detail) values (mill.now(), 'workflow_not_advanced',
    jsonb_build_object('parents', to_jsonb(new.parents[:5]), 'sqlstate', sqlstate, 'message', sqlerrm));
  return null;
end
$$;

comment on function mill.advance_at_commit() is 'Advances workflows in the transaction that ended their tasks.';
revoke execute on function mill.advance_at_commit() from public, anon, authenticated;

drop trigger if exists advance_at_commit on mill.task_ended;
create constraint trigger advance_at_commit after insert on mill.task_ended
deferrable initially deferred for each row execute function mill.advance_at_commit();
