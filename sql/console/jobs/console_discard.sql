create or replace function public.console_discard(p_ids uuid[], p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.begin_console_action('operator', p_reason);
  return mill.console_results((select coalesce(jsonb_agg(to_jsonb(d)), '[]') from mill.discard(mill.check_console_ids(p_ids)) d), array['not_dead']);
end
$$;
comment on function public.console_discard(uuid[], text) is 'Deletes dead letters: discarded or not_dead for each. For operators of the console.';
revoke execute on function public.console_discard(uuid[], text) from public, anon;
grant execute on function public.console_discard(uuid[], text) to authenticated, service_role;
