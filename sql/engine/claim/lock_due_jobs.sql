-- A queue that draws on a provider's limit is claimed from by the hook of claim. Without such a hook nothing knows the limit, and the queue is
-- claimed from like any other.
create or replace function mill.lock_due_jobs(p_queue mill.queue, p_max int, p_kinds text[], p_waits boolean) returns tid[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_rows tid[];
begin
  if p_queue.provider is not null and mill.hook_of('claim') is not null then
    execute format('select %s($1, $2, $3, $4)', mill.hook_of('claim')) into v_rows using p_queue, p_max, p_kinds, p_waits;
    return v_rows;
  elsif p_queue.counts_running then
    return mill.lock_jobs_within_caps(p_queue, p_max, p_kinds, p_waits);
  end if;
  return mill.lock_jobs_by_priority(p_queue.queue, p_max, p_kinds, true, p_waits);
end
$$;

comment on function mill.lock_due_jobs(mill.queue, int, text[], boolean) is 'Locks due jobs in the way that the options of their queue ask for.';
revoke execute on function mill.lock_due_jobs(mill.queue, int, text[], boolean) from public;
