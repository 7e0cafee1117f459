-- At most one write in ten seconds for each worker and queue. Calls under one name share a row, so it is skipped while it is locked, and the
-- first of them to come writes it: an INSERT would wait for the other one's. The lock's class number is any constant that only this uses.
create or replace function mill.note_claimant(p_queue text, p_worker text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (
    select from mill.claimant c
    where c.queue = p_queue and c.worker = p_worker and c.claimed_at > mill.now() - interval '10 seconds')
  then
    return;
  end if;
  update mill.claimant c set claimed_at = mill.now()
  where (c.queue, c.worker) in (
    select o.queue, o.worker from mill.claimant o where o.queue = p_queue and o.worker = p_worker for update skip locked);
  if not found and pg_try_advisory_xact_lock(702233, hashtext(p_queue || ' ' || p_worker)) then
    insert into mill.claimant (queue, worker, claimed_at) values (p_queue, p_worker, mill.now()) on conflict do nothing;
  end if;
end
$$;

comment on function mill.note_claimant(text, text) is 'Records who claimed from a queue that no function serves. For mill.claim alone.';
revoke execute on function mill.note_claimant(text, text) from public;
