-- One that fails hides no other.
create or replace function mill.gauge_values() returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_gauge mill.gauge;
  v_values jsonb;
  v_all jsonb := pg_catalog.jsonb_build_array();
begin
  for v_gauge in select g.* from mill.gauge g order by g.name loop
    begin
      execute format('select coalesce(jsonb_agg(jsonb_build_object(''subject'', m.subject, ''value'', m.value) order by m.subject), ''[]'')
        from %s() m where m.value is not null', v_gauge.measure)
      into v_values;
      v_all := v_all || jsonb_build_object('name', v_gauge.name, 'help', v_gauge.help, 'label', v_gauge.label, 'values', v_values);
    exception when others then
      raise warning 'gauge % cannot be measured: %', v_gauge.name, sqlerrm;
    end;
  end loop;
  return v_all;
end
$$;

comment on function mill.gauge_values() is 'The value of each gauge for each of its subjects. One that cannot be measured is left out, with a warning in the log.';
revoke execute on function mill.gauge_values() from public;
