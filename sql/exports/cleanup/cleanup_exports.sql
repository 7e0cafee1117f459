-- Notes what the engine ended without anybody looking, and forgets exports a month after they were asked for, once
-- neither a job nor a file is left of them.
create or replace function mill.cleanup_exports(p_max int) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old timestamptz := mill.now() - make_interval(days => mill.setting('exports.remember_days', '30')::int);
  v_owner uuid;
  v_noted int := 0;
  v_forgotten int;
begin
  -- One owner's lock at a time, in one order.
  for v_owner in
    select distinct o.owner from (
      select e.owner from mill.export e
      where e.ended is null and not exists (select from mill.job_live j where j.id = e.id) limit p_max) o
    order by o.owner
  loop
    perform mill.lock_exports(v_owner);
    v_noted := v_noted + mill.note_ended_exports(array(
      select e.id from mill.export e
      where e.owner = v_owner and e.ended is null and not exists (select from mill.job_live j where j.id = e.id)));
  end loop;

  delete from mill.export e where e.id in (
    select o.id from mill.export o
    where o.created_at < v_old
      and not exists (select from mill.job_live j where j.id = o.id)
      and not exists (select from mill.export_file f where f.export_id = o.id)
    limit p_max);
  get diagnostics v_forgotten = row_count;
  delete from mill.export_batch b where b.created_at < v_old
    and not exists (select from mill.export_batch_item i where i.batch_id = b.id);
  delete from mill.export_day d where d.day < (mill.now() at time zone 'UTC')::date - 1;
  return jsonb_build_object('noted', v_noted, 'forgotten', v_forgotten, 'more', v_forgotten = p_max);
end
$$;

comment on function mill.cleanup_exports(int) is 'Notes exports that ended unseen and forgets old ones.';
revoke execute on function mill.cleanup_exports(int) from public;
