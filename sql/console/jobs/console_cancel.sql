create or replace function public.console_cancel(p_ids uuid[], p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.begin_console_action('operator', p_reason);
  return mill.console_results((select coalesce(jsonb_agg(to_jsonb(c)), '[]') from mill.cancel(mill.check_console_ids(p_ids)) c), array['not_live']);
end
$$;
comment on function public.console_cancel(uuid[], text) is 'Cancels jobs: cancelled, requested (of a running one) or not_live for each. For operators of the console.';
revoke execute on function public.console_cancel(uuid[], text) from public, anon;
grant execute on function public.console_cancel(uuid[], text) to authenticated, service_role;
