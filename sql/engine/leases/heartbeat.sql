-- Lock order: by id, as settle. Leases are extended from the database's clock.
create or replace function mill.heartbeat(p_worker text, p_leases jsonb)
returns table (id uuid, status text)
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_now timestamptz := mill.now();
  v_held uuid[];
  v_progress jsonb;
  v_cancelled uuid[];
begin
  if jsonb_typeof(p_leases) is distinct from 'array' or exists (
    select from jsonb_to_recordset(p_leases) as l(id uuid, attempt int) where l.id is null or l.attempt is null)
  then
    raise exception 'every lease needs id and attempt' using errcode = 'GM005';
  end if;

  -- Locked along the sorted leases, then changed by id.
  v_held := array(
    select a.id
    from (
      select distinct on (l.id) l.id, l.attempt from jsonb_to_recordset(p_leases) as l(id uuid, attempt int) order by l.id) a
    cross join lateral (
      select from mill.job_live j
      where j.id = a.id and j.attempt = a.attempt and j.worker = p_worker and j.state = 'processing'
        and not j.cancel_requested
      for update) j);
  v_progress := (
    select jsonb_object_agg(l.id, least(greatest(l.progress, 0), 100))
    from jsonb_to_recordset(p_leases) as l(id uuid, progress int) where l.progress is not null);
  update mill.job_live j set
    lease_until = v_now + (select make_interval(secs => q.lease_seconds) from mill.queue q where q.queue = j.queue),
    progress = coalesce((v_progress ->> j.id::text)::smallint, j.progress)
  where j.id = any (v_held);
  if p_leases @? '$[*].logs' then
    perform mill.keep_logs(p_leases, v_held, v_now);
  end if;
  v_cancelled := mill.end_cancelled(p_worker, p_leases);

  return query
  select distinct on (l.id) l.id,
    case when l.id = any (v_held) then 'held' when l.id = any (v_cancelled) then 'cancelled' else 'lost' end
  from jsonb_to_recordset(p_leases) as l(id uuid);
end
$$;

comment on function mill.heartbeat(text, jsonb) is
  'Extends the leases [{id, attempt, progress, logs}] that the worker still holds; says lost or cancelled for the others, so that it stops.';
revoke execute on function mill.heartbeat(text, jsonb) from public;
