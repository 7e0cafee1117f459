-- Called with every claim and heartbeat of a container worker; writes at most every ten seconds a worker. It looks first: an upsert that
-- changes nothing locks the row all the same, and calls under one name would wait for each other.
create or replace function mill.worker_seen(p_worker text, p_queues text[] default null) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
begin
  if not exists (
    select from mill.worker w
    where w.worker = p_worker and w.seen_at >= v_now - interval '10 seconds' and w.ended_at is null and w.queues = coalesce(p_queues, w.queues))
  then
    insert into mill.worker as w (worker, queues, first_seen_at, seen_at)
    values (p_worker, coalesce(p_queues, '{}'), v_now, v_now)
    on conflict (worker) do update set seen_at = excluded.seen_at, ended_at = null, queues = coalesce(p_queues, w.queues)
    where w.seen_at < excluded.seen_at - interval '10 seconds' or w.ended_at is not null or w.queues <> coalesce(p_queues, w.queues);
  end if;
end
$$;

comment on function mill.worker_seen(text, text[]) is 'Records that a container worker is alive, and which queues it serves.';
revoke execute on function mill.worker_seen(text, text[]) from public;
