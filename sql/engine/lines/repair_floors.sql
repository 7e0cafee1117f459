-- Once a minute: a look at everything below safe, where nothing should be. A clock that was set back can put a
-- job there.
create or replace function mill.repair_floors() returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_count int;
begin
  update mill.floor_version v set
    version = v.version + 1, turn = s.turn, safe = s.turn, mark = s.turn, tail = least(v.tail, s.turn)
  from (
    select v.ctid as place, j.turn
    from mill.floor f join mill.floor_version v on v.line = f.line and v.version = f.version
    cross join lateral (
      select least(
        (select j.turn from mill.job_live j
         where j.line = f.line and not j.waits and j.state = 'pending' and j.turn < f.safe
         order by j.turn
         limit 1),
        (select p.turn from mill.pack p where p.line = f.line and p.turn < f.safe order by p.turn limit 1)) as turn) j
    where j.turn is not null
    order by f.queue, f.priority
    for no key update of v skip locked) s
  where v.ctid = s.place;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

comment on function mill.repair_floors() is 'Lowers floors to jobs that lie below them for whatever reason; says how many.';
revoke execute on function mill.repair_floors() from public;
