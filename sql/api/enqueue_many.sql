create or replace function public.enqueue_many(p_kind text, p_payloads jsonb) returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select to_jsonb(mill.enqueue_many(p_kind, p_payloads))
$$;

comment on function public.enqueue_many(text, jsonb) is 'Enqueues a job of one kind for each payload; answers their ids, null for one that was throttled.';
revoke execute on function public.enqueue_many(text, jsonb) from public, anon, authenticated;
grant execute on function public.enqueue_many(text, jsonb) to service_role;
