-- Runs every check by itself: one that fails says so and hides no other. Where nothing can be written, the first check says it; what the others could
-- not write is then no news of theirs.
create or replace function public.health_report() returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_check record;
  v_details jsonb;
  v_checks jsonb := jsonb_build_array();
  v_notes jsonb;
begin
  for v_check in select c.name, c.step from mill.health_check c order by c.place, c.name loop
    begin
      execute format('select coalesce(jsonb_agg(c.detail), ''[]'') from %s() c', v_check.step) into v_details;
    exception
      when read_only_sql_transaction or disk_full then
        v_details := '[]';
      when others then
        v_details := jsonb_build_array('could not be looked at: ' || sqlstate);
    end;
    v_checks := v_checks || jsonb_build_object('name', v_check.name, 'ok', v_details = '[]', 'details', v_details);
  end loop;
  begin
    select coalesce(jsonb_agg(n.note), '[]') into v_notes from mill.health_notes() n;
  exception when others then
    v_notes := jsonb_build_array('notes could not be made: ' || sqlstate);
  end;
  return jsonb_build_object('checks', v_checks, 'notes', v_notes, 'at', mill.now());
end
$$;

comment on function public.health_report() is 'Every health check with what is not well, in words, and notes on what nobody serves; no content, no whole-table counts.';
revoke execute on function public.health_report() from public, anon, authenticated;
grant execute on function public.health_report() to service_role;
