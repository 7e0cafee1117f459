create or replace function public.worker_queues() returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(q.queue order by q.queue), '[]') from mill.queue q where q.served_by = 'worker'
$$;

comment on function public.worker_queues() is 'The queues that a container worker claims from, as an array.';
revoke execute on function public.worker_queues() from public, anon, authenticated;
grant execute on function public.worker_queues() to service_role;
