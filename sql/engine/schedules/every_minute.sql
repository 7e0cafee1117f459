create or replace function mill.every(p_part text, p_interval interval) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into mill.heartbeat as h (part, at) values (p_part, clock_timestamp())
  on conflict (part) do update set at = excluded.at where h.at <= clock_timestamp() - p_interval;
  return found;
end
$$;

comment on function mill.every(text, interval) is 'True for one caller in each interval.';
revoke execute on function mill.every(text, interval) from public;

create or replace function mill.every_minute(p_part text) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  return mill.every(p_part, interval '1 minute');
end
$$;

comment on function mill.every_minute(text) is 'True for one caller a minute.';
revoke execute on function mill.every_minute(text) from public;
