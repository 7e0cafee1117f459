-- An operator''s word on dead letters. They start over: attempts and losses at zero, the history kept.
-- One whose dedupe key a live job holds by now stays dead and is answered as duplicate. So does one whose kind is gone, for instance
-- with its application: it is answered as unknown_kind.
create or replace function mill.retry(p_ids uuid[]) returns table (id uuid, status text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_xid xid8 := pg_current_xact_id();
  v_now timestamptz := mill.now();
  v_turn bigint := mill.clock_us();
  v_dead uuid[] := array(
    select j.id from mill.job_dead j where j.id = any (p_ids) order by j.id for update);
  v_revived uuid[];
  v_queues text[];
begin
  insert into mill.line (queue, priority)
  select distinct j.queue, j.priority from mill.job_dead j join mill.queue q using (queue)
  where j.id = any (v_dead) and not exists (select from mill.line l where l.queue = j.queue and l.priority = j.priority)
  order by 1, 2
  on conflict do nothing;

  with inserted as (
    insert into mill.job_live (
      id, line, turn, queue, kind, name, category, payload, state, priority, run_at, max_attempts,
      dedupe_key, group_key, lane, owner, parent, progress, error, error_log, correlation_id, traceparent, created_at)
    select
      j.id, l.line, v_turn + row_number() over (order by j.id), j.queue, j.kind, j.name, j.category, j.payload, 'pending',
      j.priority, v_now, j.max_attempts, j.dedupe_key, j.group_key,
      mill.lane_of(q.dequeue, q.max_running_per_group, j.owner, j.group_key),
      j.owner, j.parent, 0, j.error, j.error_log, j.correlation_id, j.traceparent, j.created_at
    from mill.job_dead j join mill.queue q using (queue) join mill.line l using (queue, priority)
    where j.id = any (v_dead) and exists (select from mill.kind k where k.kind = j.kind)
    order by j.queue, j.dedupe_key
    on conflict (queue, dedupe_key) where dedupe_key is not null do nothing
    returning job_live.id, job_live.queue
  )
  select coalesce(array_agg(i.id), '{}'), array_agg(distinct i.queue) into v_revived, v_queues from inserted i;
  delete from mill.job_dead j where j.id = any (v_revived);
  perform mill.call_acted_hooks(v_revived, 'retry', null);
  perform mill.wake(q) from mill.queue q where q.queue = any (v_queues);

  return query
  select distinct a.id,
    case
      when a.id = any (v_revived) then 'retried'
      when exists (select from mill.job_dead j where j.id = a.id and not exists (select from mill.kind k where k.kind = j.kind)) then 'unknown_kind'
      when a.id = any (v_dead) then 'duplicate'
      else 'not_dead' end
  from unnest(p_ids) as a(id);
end
$$;

comment on function mill.retry(uuid[]) is 'Sends dead letters back to pending: retried, duplicate, unknown_kind or not_dead for each.';
revoke execute on function mill.retry(uuid[]) from public;
