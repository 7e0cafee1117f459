-- What this installation has lost or that is too open, with the SQL that mends it: the part of `gristmill doctor` that Postgres can see by itself. It takes half
-- a second, so a page asks for it and does not poll it.
create or replace function public.console_findings() returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console('viewer');
  v_look regprocedure := to_regprocedure('mill.damage()');
  v_findings jsonb;
begin
  if v_look is null then -- an installation of a release before it
    return '{"looked": false, "findings": []}'::jsonb;
  end if;
  execute format('select coalesce(jsonb_agg(jsonb_build_object(''level'', ''error'', ''sentence'', mill.cut_text(d.finding, 2000), ''fix'', mill.cut_text(d.mend, 20000)) order by d.finding), ''[]'')
    from (select * from %s limit 200) d', v_look) into v_findings;
  return jsonb_build_object('looked', true, 'findings', v_findings);
end
$$;

comment on function public.console_findings() is 'What this installation has lost, with the SQL that restores it: {looked, findings: [{level, sentence, fix}]}. For viewers of the console.';
revoke execute on function public.console_findings() from public, anon;
grant execute on function public.console_findings() to authenticated, service_role;
