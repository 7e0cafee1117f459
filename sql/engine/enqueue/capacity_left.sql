-- Depth is the number of pending jobs. Counting stops at the limit and is read without a lock: producers that
-- commit at once may overshoot by their batches. It is a valve against a runaway producer, not a cap. A draining queue takes none.
create or replace function mill.capacity_left(p_jobs jsonb) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_object_agg(q.queue, case when q.draining then 0 else q.depth_limit - mill.depth(q.queue, q.depth_limit) end), '{}')
  from mill.queue q
  where (q.depth_limit is not null or q.draining)
    and exists (select from mill.kind k
                where k.queue = q.queue and p_jobs @> jsonb_build_array(jsonb_build_object('kind', k.kind)))
$$;

comment on function mill.capacity_left(jsonb) is 'How many more jobs each queue of a batch takes that has a depth limit or drains, as an object.';
revoke execute on function mill.capacity_left(jsonb) from public;
