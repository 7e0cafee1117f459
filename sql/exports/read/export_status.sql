-- What lives in the queue is the truth; what has left it is as it ended, also when its job is gone with its day.
create or replace function mill.export_status(p_id uuid, p_ended text)
returns table (status text, progress int, attempt int, max_attempts int, run_at timestamptz, cancel_requested boolean,
               error jsonb, started_at timestamptz, finished_at timestamptz)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select s.* from (
    (select j.state, j.progress::int, j.attempt, j.max_attempts, j.run_at, j.cancel_requested, j.error, j.started_at, j.finished_at
     from mill.job_live j where j.id = p_id)
    union all
    (select j.state, j.progress::int, j.attempt, j.max_attempts, j.run_at, false, j.error, j.started_at, j.finished_at
     from mill.job j where j.id = p_id and j.state in ('completed', 'cancelled', 'failed'))
    union all
    (select p_ended, case p_ended when 'completed' then 100 else 0 end, null, null, null, false, null, null, null
     where p_ended is not null)
  ) s(status, progress, attempt, max_attempts, run_at, cancel_requested, error, started_at, finished_at)
  limit 1
$$;

comment on function mill.export_status(uuid, text) is 'Where an export is: its job''s state, or how it ended.';
revoke execute on function mill.export_status(uuid, text) from public;
