create or replace function mill.tick() returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_reclaimed int := mill.reclaim();
  v_promoted int := mill.promote();
begin
  insert into mill.heartbeat (part, at) values ('tick', mill.now())
  on conflict (part) do update set at = excluded.at;
  return jsonb_build_object('reclaimed', v_reclaimed, 'promoted', v_promoted);
end
$$;

comment on function mill.tick() is 'One round of housekeeping: reclaim first, then promote.';
revoke execute on function mill.tick() from public;
