-- Depth is the number of pending jobs. Counting stops at the limit and is read without a lock: producers that
-- commit at once may overshoot by their batches. It is a valve against a runaway producer, not a cap.
create or replace function mill.room(p_jobs jsonb) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_object_agg(q.queue, q.depth_limit - d.depth), '{}')
  from mill.queue q
  cross join lateral (
    select count(*)::int as depth
    from (select from mill.job_live j where j.queue = q.queue and not j.waits and j.state = 'pending' limit q.depth_limit) j) d
  where q.depth_limit is not null
    and exists (select from mill.kind k
                where k.queue = q.queue and p_jobs @> jsonb_build_array(jsonb_build_object('kind', k.kind)))
$$;

comment on function mill.room(jsonb) is 'How many more jobs each depth-limited queue of a batch takes, as an object.';
revoke execute on function mill.room(jsonb) from public;
