create or replace function public.console_preview_schedule(p_expression text, p_timezone text default 'UTC') returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console('viewer');
  v_times jsonb := public.preview_schedule(jsonb_build_object('cron', left(p_expression, 200), 'time_zone', coalesce(nullif(left(p_timezone, 100), ''), 'UTC')), 5);
begin
  return jsonb_build_object('next', (select coalesce(jsonb_agg(t -> 'due' order by t ->> 'due'), '[]') from jsonb_array_elements(v_times) t), 'times', v_times);
end
$$;

comment on function public.console_preview_schedule(text, text) is 'The next five times of a cron expression in a time zone: {next, times: [{due, local}]}. For viewers of the console.';
revoke execute on function public.console_preview_schedule(text, text) from public, anon;
grant execute on function public.console_preview_schedule(text, text) to authenticated, service_role;
