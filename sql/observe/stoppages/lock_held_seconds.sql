-- An advisory lock of one bigint shows as its upper and lower half.
create or replace function mill.lock_held_seconds(p_lock bigint) returns numeric
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select max(extract(epoch from mill.now() - a.query_start))
  from pg_locks l join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and (l.classid::bigint << 32 | l.objid::bigint) = p_lock
$$;

comment on function mill.lock_held_seconds(bigint) is 'For how many seconds the statement that holds an advisory lock has run; null when nobody holds it.';
revoke execute on function mill.lock_held_seconds(bigint) from public;
