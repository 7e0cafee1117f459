create or replace function mill.every_minute(p_part text) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into mill.heartbeat as h (part, at) values (p_part, clock_timestamp())
  on conflict (part) do update set at = excluded.at where h.at <= clock_timestamp() - interval '1 minute';
  return found;
end
$$;

comment on function mill.every_minute(text) is 'True for one caller a minute.';
revoke execute on function mill.every_minute(text) from public;
