-- Every refresh queue is served here: those that our processor serves too, and the one that it leaves to the user's. Each gives as many as
-- it has among the batch_size that come first in all of them.
create or replace function mill.share_batch(p_max int) returns table (queue text, jobs int)
language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
  select n.queue, count(*)::int
  from (
    select q.queue
    from mill.queue q
    cross join lateral (
      select j.priority, j.turn
      from (select f.line, f.turn from mill.floor f where f.queue = q.queue order by f.priority desc) f
      cross join lateral (
        select j.priority, j.turn from mill.job_live j
        where j.line = f.line and j.turn >= f.turn and not j.waits and j.state = 'pending'
        order by j.turn limit p_max) j
      limit p_max) j
    where q.queue ~ '^refresh(-|$)' and not q.paused
    order by j.priority desc, j.turn limit p_max) n
  group by n.queue
$$;

comment on function mill.share_batch(int) is 'How many of the refreshes that come first each refresh queue has.';
revoke execute on function mill.share_batch(int) from public;

create or replace function public.get_queue_batch(batch_size int default 50) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lease_seconds constant int := 300;
  v_worker text := 'batch-' || mill.uuid7();
  v_share record;
  v_ids uuid[] := array[]::uuid[];
begin
  perform mill.require_primary();
  -- Claims of refresh queues take turns, so nobody else comes between the claims of this loop.
  perform mill.lock_refresh_claims();
  -- What is due again is counted by mill.share_batch only once it is pending. The pump does that every five seconds, and a processor that ends
  -- with an empty queue would end before.
  perform mill.promote(100);
  for v_share in select s.* from mill.share_batch(least(coalesce(batch_size, 50), 1000)) s order by s.queue loop
    v_ids := v_ids || array(
      select (j ->> 'id')::uuid from jsonb_array_elements(mill.claim_refresh(v_worker, v_share.queue, v_share.jobs, null)) j);
  end loop;
  perform mill.note_compat_leases(v_ids, v_lease_seconds);
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', j.id, 'symbol', j.payload ->> 'symbol', 'data_type', j.payload ->> 'data_type',
      'edge_function', r.edge_function_name, 'edge_function_name', r.edge_function_name,
      'priority', j.priority, 'estimated_size', (j.payload ->> 'estimated_size')::bigint) order by j.priority desc, j.turn), '[]')
    from mill.job_live j
    left join public.data_type_registry r on r.data_type = j.payload ->> 'data_type'
    where j.id = any (v_ids));
end
$$;

comment on function public.get_queue_batch(int) is
  'Leases due refreshes for five minutes, as an array of {id, symbol, data_type, edge_function, edge_function_name, priority, estimated_size}, highest priority first.';
revoke execute on function public.get_queue_batch(int) from public, anon, authenticated;
grant execute on function public.get_queue_batch(int) to service_role;
