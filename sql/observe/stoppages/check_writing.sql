-- Whether Postgres can write: a row, and a temporary file for a sort that is larger than its memory. The row finds a database that is read-only; the
-- file finds a full disk, also while the table still has room for the row. It takes about 5 ms.
create or replace function mill.check_writing() returns table (detail text)
language plpgsql
set search_path = pg_catalog, pg_temp
set work_mem = '64kB'
set jit = off
as $$
begin
  begin
    perform mill.record_heartbeat('health_write');
    perform count(*) from (select repeat(md5(n::text), 8) from generate_series(1, 3000) n order by 1 offset 0) spilled;
  exception
    when read_only_sql_transaction then
      detail := case when pg_is_in_recovery() then 'this is a standby: nothing can be written' else 'the database is read-only' end;
      return next;
    when disk_full then
      detail := 'the disk of Postgres is full';
      return next;
    when others then
      detail := format('nothing can be written: %s', sqlstate);
      return next;
  end;
end
$$;

comment on function mill.check_writing() is 'Why nothing can be written. No row: a row and a temporary file were.';
revoke execute on function mill.check_writing() from public;

insert into mill.health_check (name, step, place) values ('writing', 'mill.check_writing', 1)
on conflict (name) do update set step = excluded.step, place = excluded.place;
