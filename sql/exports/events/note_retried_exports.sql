-- A failed attempt, and a worker that was lost, are known to the engine alone: its hot paths know nothing of exports. So the event of a
-- retry is noted when somebody listens, or at the latest by the first word of the next attempt.
create or replace function mill.retried_exports(p_ids uuid[]) returns uuid[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(j.id order by j.id), '{}')
  from mill.job_live j
  cross join lateral (
    select v.data from mill.export_event v where v.export_id = j.id order by v.id desc limit 1) latest
  where j.id = any (p_ids)
    and j.attempt > (j.state = 'processing')::int
    and (latest.data ->> 'retry_at')::timestamptz is distinct from j.run_at
    and (j.state <> 'processing' or coalesce((latest.data ->> 'attempt')::int, 0) < j.attempt)
$$;

comment on function mill.retried_exports(uuid[]) is 'Exports with a failed attempt behind them whose listeners have not been told yet.';
revoke execute on function mill.retried_exports(uuid[]) from public;

-- The event has no attempt, because nobody works on the export: compat clients are shown it as pending. The caller holds the owner's lock.
create or replace function mill.note_retried_exports(p_ids uuid[]) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  select mill.note_export(j.id, 'progress', jsonb_build_object('progress', j.progress, 'message', 'retrying', 'retry_at', j.run_at,
    'attempts', j.attempt - (j.state = 'processing')::int, 'max_attempts', j.max_attempts))
  from mill.job_live j where j.id = any (mill.retried_exports(p_ids))
$$;

comment on function mill.note_retried_exports(uuid[]) is 'Tells listeners of exports that an attempt came to nothing, and when the next one begins.';
revoke execute on function mill.note_retried_exports(uuid[]) from public;
