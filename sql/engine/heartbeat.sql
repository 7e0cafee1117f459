create or replace function mill.heartbeat(p_worker text, p_leases jsonb)
returns table (id uuid, status text)
language sql
set search_path = pg_catalog, pg_temp
as $$
  with asked as (
    select l.id, l.attempt from jsonb_to_recordset(p_leases) as l(id uuid, attempt int)
  ),
  -- Locked in the order of ids, as settle and reclaim do.
  held as (
    select j.id from mill.job_live j join asked a on a.id = j.id and a.attempt = j.attempt
    where j.state = 'processing' and j.worker = p_worker
    order by j.id
    for update of j
  ),
  extended as (
    update mill.job_live j set lease_until = mill.now() + make_interval(secs => q.lease_seconds)
    from held h, mill.queue q
    where j.id = h.id and q.queue = j.queue
    returning j.id
  )
  select a.id, case when e.id is null then 'lost' else 'held' end
  from asked a left join extended e on e.id = a.id
$$;

comment on function mill.heartbeat(text, jsonb) is
  'Extends the leases [{id, attempt}] that the worker still holds; says lost for the others, so that it stops.';
revoke execute on function mill.heartbeat(text, jsonb) from public;
