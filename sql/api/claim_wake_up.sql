-- The relay listens, and sends a request 15 ms after its commit. pg_net rests.
create or replace function mill.is_sent_at_once() returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  -- pg_net has no such function: it is the relay's own.
  if to_regprocedure('net._is_served()') is null then
    return false;
  end if;
  return net._is_served();
end
$$;

comment on function mill.is_sent_at_once() is 'Whether the relay serves, which sends a request within milliseconds of its commit.';
revoke execute on function mill.is_sent_at_once() from public;

-- The request that pg_net is about to send for the queue of a job, freshly signed, for the function that took the job: real pg_net rests for up to
-- a second before it sends. One caller gets it. The request carries no work, and pg_net sends it in any case: whichever arrives first
-- begins the invocation, and the other claims nothing.
--
-- Null when the setting wake.by_function is off, while the relay serves, when the queue is paused or no function serves it, and when no
-- invocation was asked for that has not begun. Waits for nobody.
create or replace function public.claim_wake_up(p_job uuid) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_queue mill.queue;
  v_id uuid;
begin
  -- Beside the relay a second request would save nothing, and would cost the news of a crash that the relay's answer brings (mill.answer_to_invocation).
  if mill.setting('wake.by_function', 'true') <> 'true' or mill.is_sent_at_once() then
    return null;
  end if;
  select q.* into v_queue
  from mill.queue q
  where q.served_by = 'function' and not q.paused and q.queue = coalesce(
    (select j.queue from mill.job_live j where j.id = p_job),
    (select p.queue from mill.pack p where p.first = mill.pack_of(p_job) and p.last >= p_job));
  if not found then
    return null;
  end if;

  -- The newest: it is most likely the one that this job has asked for.
  update mill.invocation i set handed_at = mill.now()
  where i.id = (
    select o.id from mill.invocation o
    where o.queue = v_queue.queue and o.ended_at is null and o.begun_at is null and o.handed_at is null
    order by o.asked_at desc
    limit 1
    for no key update skip locked)
  returning i.id into v_id;
  return case when v_id is not null
    then mill.signed_request(coalesce(v_queue.function, v_queue.url), v_id, mill.invocation_body(v_queue, v_id)::text) end;
end
$$;

comment on function public.claim_wake_up(uuid) is
  'The signed request of an invocation that was asked for and has not begun, of the queue of a job, as {url, headers, body}. One caller gets it, once.';
revoke execute on function public.claim_wake_up(uuid) from public, anon, authenticated;
grant execute on function public.claim_wake_up(uuid) to service_role;
