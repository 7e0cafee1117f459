create or replace function public.check_and_queue_stale_data_from_presence_v2(presence_subscriptions jsonb default null) returns void
language sql security definer
set search_path = pg_catalog, pg_temp
as $$ select public.check_and_queue_stale_data_from_presence(presence_subscriptions) $$;

comment on function public.check_and_queue_stale_data_from_presence_v2(jsonb) is 'check_and_queue_stale_data_from_presence under its second name.';
revoke execute on function public.check_and_queue_stale_data_from_presence_v2(jsonb) from public, anon, authenticated;
grant execute on function public.check_and_queue_stale_data_from_presence_v2(jsonb) to service_role;
