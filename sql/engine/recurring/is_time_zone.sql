-- Whether Postgres has a time zone of this name. pg_timezone_names knows, but reads 600 files for it, 50 ms. The conversion itself also takes what POSIX
-- calls a time zone, such as Mars/Olympus5 for five hours west of it: hence no digits, but for Etc/GMT+5.
create or replace function mill.is_time_zone(p_name text) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_name !~ '^(UTC|GMT|Etc/GMT[+-]\d{1,2}|[A-Za-z_]+(/[A-Za-z_-]+)+)$' then
    return false;
  end if;
  perform now() at time zone p_name;
  return true;
exception when invalid_parameter_value then
  return false;
end
$$;

comment on function mill.is_time_zone(text) is 'Whether Postgres has a time zone of this name.';
revoke execute on function mill.is_time_zone(text) from public;
