-- plpgsql keeps its plan; in SQL it would be planned by every call.
create or replace function mill.setting(p_key text, p_default text default null) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return coalesce((select s.value from mill.settings s where s.key = p_key), p_default);
end
$$;

comment on function mill.setting(text, text) is 'One value of mill.settings, or the default.';
revoke execute on function mill.setting(text, text) from public;
