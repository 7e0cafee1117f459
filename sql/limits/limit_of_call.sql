-- The row of a model: that of its very name, or else of the longest name that its own begins with and a hyphen follows. So claude-3-haiku-20240307
-- draws on the row claude-3 until it has one of its own.
create or replace function public.limit_of_call(p_provider_name text, p_model text, p_queue text default null) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_endpoint text := (
    select l.api_endpoint from mill.api_rate_limits l
    where l.provider_name = p_provider_name
      and (l.api_endpoint = p_model or starts_with(p_model, l.api_endpoint || '-'))
    order by length(l.api_endpoint) desc limit 1);
  v_limit mill.api_rate_limits := mill.api_limit(p_provider_name, coalesce(v_endpoint, p_model));
begin
  return jsonb_build_object('provider_name', v_limit.provider_name, 'api_endpoint', v_limit.api_endpoint, 'is_of_queue', exists (
    select from mill.queue q where q.queue = p_queue and q.provider = v_limit.provider_name and q.endpoint = v_limit.api_endpoint));
end
$$;

comment on function public.limit_of_call(text, text, text) is
  'The limit that a call of a model draws on: {provider_name, api_endpoint, is_of_queue}. is_of_queue: a claim from that queue has reserved one call of it. GM020 when there is none.';
revoke execute on function public.limit_of_call(text, text, text) from public, anon, authenticated;
grant execute on function public.limit_of_call(text, text, text) to service_role;
