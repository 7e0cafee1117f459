create or replace function public.pause_queue(p_queue text, p_paused boolean default true) returns boolean
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.pause(p_queue, p_paused)
$$;

comment on function public.pause_queue(text, boolean) is 'Stops claims and invocations of a queue, or lets them go on; says whether it is paused now.';
revoke execute on function public.pause_queue(text, boolean) from public, anon, authenticated;
grant execute on function public.pause_queue(text, boolean) to service_role;
