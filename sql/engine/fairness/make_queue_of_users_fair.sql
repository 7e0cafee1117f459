-- A queue that users can enqueue into is fair, so that one user cannot be ahead of all others by enqueueing early and much. It becomes so
-- when one of its kinds is opened to users. An operator who sets dequeue to priority afterwards has it so.
create or replace function mill.make_queue_of_users_fair() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update mill.queue q set dequeue = 'fair' where q.queue = new.queue and q.dequeue = 'priority';
  return null;
end
$$;

comment on function mill.make_queue_of_users_fair() is 'Makes the queue of a kind fair when the kind is opened to users.';
revoke execute on function mill.make_queue_of_users_fair() from public, anon, authenticated;

drop trigger if exists make_fair_when_opened on mill.kind;
create trigger make_fair_when_opened after insert on mill.kind
for each row when (new.open_to_users) execute function mill.make_queue_of_users_fair();

drop trigger if exists make_fair_when_opened_later on mill.kind;
create trigger make_fair_when_opened_later after update of open_to_users, queue on mill.kind
for each row when (new.open_to_users and (not old.open_to_users or new.queue <> old.queue)) execute function mill.make_queue_of_users_fair();
