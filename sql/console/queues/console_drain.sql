-- A paused queue stops at its end, a draining one at its beginning: new jobs are answered as throttled, and what waits and runs is worked off.
create or replace function mill.drain(p_queue text, p_draining boolean) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  update mill.queue q set draining = p_draining where q.queue = p_queue;
  if not found then
    raise exception 'unknown queue "%"', left(p_queue, 64) using errcode = 'GM007';
  end if;
  insert into mill.event (at, code, detail)
  values (mill.now(), case when p_draining then 'queue_draining' else 'queue_filling' end, jsonb_build_object('queue', p_queue));
  perform mill.call_hooks('operated', jsonb_build_object('table', 'queue', 'record', p_queue, 'action', case when p_draining then 'drain' else 'end_drain' end));
  return p_draining;
end
$$;

comment on function mill.drain(text, boolean) is 'Drains a queue, or lets it take jobs again.';
revoke execute on function mill.drain(text, boolean) from public;

create or replace function public.console_drain(p_queue text, p_draining boolean, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.begin_console_action('operator', p_reason);
  return jsonb_build_object('queue', p_queue, 'draining', mill.drain(p_queue, coalesce(p_draining, true)));
end
$$;

comment on function public.console_drain(text, boolean, text) is
  'Drains a queue, or ends that: new jobs are answered as throttled, what waits and runs is worked off. For operators of the console.';
revoke execute on function public.console_drain(text, boolean, text) from public, anon;
grant execute on function public.console_drain(text, boolean, text) to authenticated, service_role;
