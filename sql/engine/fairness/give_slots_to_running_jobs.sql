-- A queue that begins to count its running jobs counts those that run already. Those that are being claimed at that
-- very moment it does not: they count from their next attempt on.
-- Lock order: by id.
create or replace function mill.give_slots_to_running_jobs() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update mill.job_live j set slot = j.queue
  where j.id = any (array(
    select r.id from mill.job_live r
    where r.queue = new.queue and r.state = 'processing' and r.slot is null
    order by r.id for update));
  return null;
end
$$;

comment on function mill.give_slots_to_running_jobs() is 'Gives the running jobs of a queue the slots that its new options count.';
revoke execute on function mill.give_slots_to_running_jobs() from public, anon, authenticated;

drop trigger if exists give_slots_to_running_jobs on mill.queue;
create trigger give_slots_to_running_jobs after update on mill.queue
for each row when (new.counts_running and not old.counts_running) execute function mill.give_slots_to_running_jobs();
