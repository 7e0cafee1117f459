-- Folds what settle counted into minutes. The newest are left for the breakers, which look at a window shorter
-- than a minute. One caller folds at a time; another does nothing.
create or replace function mill.fold_statistics() returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before timestamptz := mill.now() - make_interval(secs => greatest(60, mill.setting('breaker.window_seconds', '60')::int));
  v_count int;
begin
  if not pg_try_advisory_xact_lock(7022311640271842) then -- any constant that only this uses
    return 0;
  end if;
  with folded as (
    delete from mill.stat_batch b where b.at < v_before returning b.*
  )
  insert into mill.stat_minute as m (minute, queue, kind, outcome, bucket, jobs, total_ms, bytes)
  select date_trunc('minute', f.at), f.queue, f.kind, f.outcome, f.bucket, sum(f.jobs), sum(f.total_ms), sum(f.bytes)
  from folded f
  group by 1, 2, 3, 4, 5
  on conflict (minute, queue, kind, outcome, bucket) do update set
    jobs = m.jobs + excluded.jobs, total_ms = m.total_ms + excluded.total_ms, bytes = m.bytes + excluded.bytes;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

comment on function mill.fold_statistics() is 'Folds statistics into minutes; says how many rows of mill.stat_minute were written.';
revoke execute on function mill.fold_statistics() from public;
