create or replace function mill.pause(p_queue text, p_paused boolean default true) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  update mill.queue q set paused = p_paused where q.queue = p_queue;
  if not found then
    raise exception 'unknown queue "%"', left(p_queue, 64) using errcode = 'GM007';
  end if;
  insert into mill.event (at, code, detail)
  values (mill.now(), case when p_paused then 'queue_paused' else 'queue_resumed' end, jsonb_build_object('queue', p_queue));
  perform mill.call_hooks('operated', jsonb_build_object('table', 'queue', 'record', p_queue, 'action', case when p_paused then 'pause' else 'resume' end));
  if not p_paused then
    perform mill.wake(q, 'pump') from mill.queue q where q.queue = p_queue;
  end if;
  return p_paused;
end
$$;

comment on function mill.pause(text, boolean) is 'Pauses or resumes a queue. What runs goes on; what waits stays.';
revoke execute on function mill.pause(text, boolean) from public;
