-- With its kinds, so that a function that has no handler for some of them claims the others.
create or replace function mill.invocation_body(p_queue mill.queue, p_id uuid) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return jsonb_build_object(
    'invocation', p_id, 'queue', p_queue.queue, 'batch', p_queue.batch_size, 'seconds', p_queue.invocation_seconds,
    'kinds', array(select k.kind from mill.kind k where k.queue = p_queue.queue order by k.kind));
end
$$;

comment on function mill.invocation_body(mill.queue, uuid) is 'What an invocation of the function of a queue is told, as docs/protocol.md has it.';
revoke execute on function mill.invocation_body(mill.queue, uuid) from public;

-- Asks for one invocation of the function that serves a queue. pg_net sends it after COMMIT, so a rolled-back
-- enqueue wakes nobody. The request is a hint: whatever happens to it, the rows in job_live stay the truth.
create or replace function mill.invoke(p_queue text, p_reason text) returns uuid
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_id uuid := mill.uuid7();
  v_queue mill.queue;
  v_function text;
  v_request bigint;
begin
  select q.* into v_queue from mill.queue q where q.queue = p_queue and q.served_by = 'function' and not q.paused;
  v_function := coalesce(v_queue.function, v_queue.url);
  if v_function is null or not mill.can_post(v_function) or mill.provider_wait(v_queue) > interval '0'
    or not mill.may_invoke(mill.target_of(v_function, v_queue.provider), v_id)
  then
    return null;
  end if;

  v_request := mill.post_signed(v_function, v_id, mill.invocation_body(v_queue, v_id), v_queue.invocation_seconds * 1000);
  insert into mill.invocation (id, queue, reason, asked_at, request_id)
  values (v_id, v_queue.queue, p_reason, mill.now(), v_request);
  return v_id;
end
$$;

comment on function mill.invoke(text, text) is 'Asks for one signed invocation of the queue''s function; null when it has none, is paused, its breaker is open, its provider has no room or nothing can send.';
revoke execute on function mill.invoke(text, text) from public;
