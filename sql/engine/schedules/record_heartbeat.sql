create or replace function mill.record_heartbeat(p_part text, p_detail jsonb default '{}') returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into mill.heartbeat (part, at, detail) values (p_part, mill.now(), p_detail)
  on conflict (part) do update set at = excluded.at, detail = excluded.detail
$$;

comment on function mill.record_heartbeat(text, jsonb) is 'Records that a recurring part has run to its end.';
revoke execute on function mill.record_heartbeat(text, jsonb) from public;
