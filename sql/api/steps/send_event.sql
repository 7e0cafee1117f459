create or replace function public.send_event(p_job uuid, p_event text, p_payload jsonb default 'null', p_key text default null) returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$ select jsonb_build_object('status', mill.send_event(p_job, p_event, p_payload, p_key)) $$;

comment on function public.send_event(uuid, text, jsonb, text) is 'Sends an event to a job: delivered, kept, duplicate or not_live.';
revoke execute on function public.send_event(uuid, text, jsonb, text) from public, anon, authenticated;
grant execute on function public.send_event(uuid, text, jsonb, text) to service_role;
