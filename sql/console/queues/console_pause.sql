create or replace function public.console_pause(p_queue text, p_paused boolean, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.begin_console_action('operator', p_reason);
  return jsonb_build_object('queue', p_queue, 'paused', mill.pause(p_queue, coalesce(p_paused, true)));
end
$$;

comment on function public.console_pause(text, boolean, text) is 'Pauses or resumes a queue: claims stop, what runs goes on, enqueueing goes on. For operators of the console.';
revoke execute on function public.console_pause(text, boolean, text) from public, anon;
grant execute on function public.console_pause(text, boolean, text) to authenticated, service_role;
