-- Called with every claim and heartbeat of a container worker; writes at most every ten seconds a worker.
create or replace function mill.worker_seen(p_worker text, p_queues text[] default null) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into mill.worker as w (worker, queues, first_seen_at, seen_at)
  values (p_worker, coalesce(p_queues, '{}'), mill.now(), mill.now())
  on conflict (worker) do update set seen_at = excluded.seen_at, queues = coalesce(p_queues, w.queues)
  where w.seen_at < excluded.seen_at - interval '10 seconds' or w.queues <> coalesce(p_queues, w.queues)
$$;

comment on function mill.worker_seen(text, text[]) is 'Records that a container worker is alive, and which queues it serves.';
revoke execute on function mill.worker_seen(text, text[]) from public;
