-- Statement-level: one look a statement, however many jobs it inserts. mill.wake asks which queues have work, instead of
-- reading the inserted rows here: a transition table would copy each of them.
create or replace function mill.wake_on_enqueue() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.wake(q.queue)
  from mill.queue q
  where q.served_by = 'function' and not q.paused;
  return null;
end
$$;

comment on function mill.wake_on_enqueue() is 'Wakes the functions of queues that have due jobs.';
revoke execute on function mill.wake_on_enqueue() from public, anon, authenticated;

drop trigger if exists wake_on_enqueue on mill.job_live;
create trigger wake_on_enqueue after insert on mill.job_live
for each statement execute function mill.wake_on_enqueue();
