create or replace function mill.wake_on_enqueue() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.wake(q.queue)
  from (select distinct n.queue from new_jobs n where n.state = 'pending') q;
  return null;
end
$$;

comment on function mill.wake_on_enqueue() is 'Statement-level: one wake-up a queue however many jobs a statement inserts.';
revoke execute on function mill.wake_on_enqueue() from public;

drop trigger if exists wake_on_enqueue on mill.job_live;
create trigger wake_on_enqueue after insert on mill.job_live
referencing new table as new_jobs
for each statement execute function mill.wake_on_enqueue();
