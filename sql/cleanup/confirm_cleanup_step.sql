create or replace function public.confirm_cleanup_step(p_step text, p_keys text[]) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_confirm text := (select s.confirm from mill.cleanup_step s where s.step = p_step);
  v_report jsonb;
begin
  if v_confirm is null then
    raise exception 'cleanup step "%" has nothing to confirm', left(p_step, 64) using errcode = 'GM031';
  end if;
  execute format('select %s($1)', v_confirm) into v_report using p_keys;
  return coalesce(v_report, '{}');
end
$$;

comment on function public.confirm_cleanup_step(text, text[]) is 'These objects are gone: the step may forget their rows.';
revoke execute on function public.confirm_cleanup_step(text, text[]) from public, anon, authenticated;
grant execute on function public.confirm_cleanup_step(text, text[]) to service_role;
