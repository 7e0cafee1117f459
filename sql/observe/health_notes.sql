-- What an operator should know although nothing is wrong: kinds with work that no worker has ever asked for, and who serves external queues
-- that have a kind.
create or replace function mill.health_notes() returns table (note text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select format('%s: no worker serves this kind; its oldest job has been due for %s s', w.kind, round(extract(epoch from mill.now() - w.due_since)))
  from mill.queue q
  cross join lateral mill.waiting_kinds(q.queue) w
  join mill.kind k on k.kind = w.kind
  where q.served_by <> 'function' and not q.paused and k.first_asked_at is null
    and exists (select from mill.kind o where o.queue = q.queue and o.first_asked_at is null)
  union all
  select case
      when c.worker is null then format('queue %s is external: nobody has claimed from it', q.queue)
      else format('queue %s is external: %s claimed last, %s s ago', q.queue, c.worker, round(extract(epoch from mill.now() - c.claimed_at)))
    end
  from mill.queue q
  left join lateral (
    select c.worker, c.claimed_at from mill.claimant c where c.queue = q.queue order by c.claimed_at desc limit 1) c on true
  where q.served_by = 'external' and exists (select from mill.kind k where k.queue = q.queue)
$$;

comment on function mill.health_notes() is 'What health says beside its checks: kinds that no worker serves, and who claimed last from each external queue.';
revoke execute on function mill.health_notes() from public;
