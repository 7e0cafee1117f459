create or replace function mill.count_ended(p_job_id uuid, p_key text, p_state text, p_count int) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_is_done boolean;
begin
  update mill.step s set
    completed = s.completed + case p_state when 'completed' then p_count else 0 end,
    failed = s.failed + case p_state when 'completed' then 0 else p_count end
  where s.job_id = p_job_id and s.key = p_key
  returning s.completed + s.failed + s.skipped = s.total into v_is_done;
  return v_is_done;
end
$$;

comment on function mill.count_ended(uuid, text, text, int) is 'Counts ended tasks of a step; says whether they were the last.';
revoke execute on function mill.count_ended(uuid, text, text, int) from public;
