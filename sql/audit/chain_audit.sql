-- Links what was committed since the last time, oldest first. One chainer at a time; p_waits says whether to wait for
-- another or to leave it the work. A row that commits after its day is over still goes to that day's chain.
create or replace function mill.chain_audit(p_max int default 10000, p_waits boolean default false) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lock constant bigint := 7022311640271843; -- any constant that only this uses
  v_row record;
  v_day mill.audit_day;
  v_count int := 0;
begin
  if p_waits then
    perform pg_advisory_xact_lock(v_lock);
  elsif not pg_try_advisory_xact_lock(v_lock) then
    return 0;
  end if;

  for v_row in
    with taken as (
      delete from mill.audit_unchained u
      where u.audit_id in (select o.audit_id from mill.audit_unchained o order by o.audit_id limit p_max)
      returning u.audit_id, u.at
    )
    select t.audit_id, (t.at at time zone 'UTC')::date as day,
      -- A row that was deleted before it was linked gets a link all the same: verify then misses it.
      coalesce((select mill.audit_digest(a) from mill.audit_log a where a.id = t.audit_id and a.at = t.at), '') as digest
    from taken t
    order by 2, 1
  loop
    if v_day.day is distinct from v_row.day then
      perform mill.keep_audit_day(v_day);
      v_day := mill.open_audit_day(v_row.day);
    end if;
    v_day.rows := v_day.rows + 1;
    v_day.head := sha256(v_day.head || v_row.digest);
    insert into mill.audit_chain (day, seq, audit_id, hash) values (v_row.day, v_day.rows, v_row.audit_id, v_day.head);
    v_count := v_count + 1;
  end loop;
  perform mill.keep_audit_day(v_day);
  update mill.audit_total t set rows = t.rows + v_count where v_count > 0;
  return v_count;
end
$$;

comment on function mill.chain_audit(int, boolean) is 'Links audit rows that are not linked yet; says how many.';
revoke execute on function mill.chain_audit(int, boolean) from public;
