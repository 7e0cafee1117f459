create or replace function mill.count_ended(p_job_id uuid, p_keys text[], p_completed int[], p_failed int[]) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_is_done boolean;
begin
  with counted as (
    update mill.step s set completed = s.completed + c.completed, failed = s.failed + c.failed
    from (
      select u.key, sum(u.completed)::int as completed, sum(u.failed)::int as failed
      from unnest(p_keys, p_completed, p_failed) as u(key, completed, failed) group by u.key) c
    where s.job_id = p_job_id and s.key = c.key
    returning s.completed + s.failed + s.skipped = s.total as is_done
  )
  select coalesce(bool_or(c.is_done), false) into v_is_done from counted c;
  return v_is_done;
end
$$;

comment on function mill.count_ended(uuid, text[], int[], int[]) is 'Counts ended tasks by their steps; says whether they were the last of one.';
revoke execute on function mill.count_ended(uuid, text[], int[], int[]) from public;
