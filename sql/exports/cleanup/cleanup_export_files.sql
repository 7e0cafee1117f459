-- Files that nobody needs: expired ones, those that their users deleted, and those of attempts that came to nothing. They are marked, their objects
-- are removed by whoever called, and only then does mill.confirm_export_files forget the rows. A crash in between leaves
-- marked rows, which are given out again; what stays marked could not be deleted, and that is an event.
--
-- An attempt may still be uploading after its lease is gone: its file is left alone for exports.abandoned_after_seconds.
create or replace function mill.cleanup_export_files(p_max int) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_abandoned timestamptz := v_now - make_interval(secs => mill.setting('exports.abandoned_after_seconds', '3600')::int);
  v_stuck text[] := array(select f.path from mill.export_file f where f.state = 'removing' order by f.created_at limit p_max);
  v_keys text[];
begin
  if v_stuck <> '{}' then
    insert into mill.event (at, code, detail) values (v_now, 'export_files_not_removed',
      jsonb_build_object('files', cardinality(v_stuck), 'first', v_stuck[1]));
  end if;
  with chosen as (
    select f.path from mill.export_file f
    where f.state = 'stored' and f.expires_at <= v_now or f.state = 'deleted'
      or f.state = 'writing' and f.created_at <= v_abandoned and not exists (
        select from mill.job_live j where j.id = f.export_id and j.attempt = f.attempt and j.state = 'processing')
    order by f.created_at
    limit greatest(p_max - cardinality(v_stuck), 0)
    for update skip locked
  ),
  marked as (
    update mill.export_file f set state = 'removing' from chosen c where f.path = c.path returning f.path
  )
  select v_stuck || coalesce(array_agg(m.path), '{}') into v_keys from marked m;
  if cardinality(v_keys) < p_max then
    v_keys := v_keys || mill.unclaimed_export_objects(v_abandoned, p_max - cardinality(v_keys));
  end if;
  return jsonb_build_object('remove', to_jsonb(v_keys), 'more', cardinality(v_keys) = p_max and v_stuck = '{}');
end
$$;

comment on function mill.cleanup_export_files(int) is 'Marks files that are to go; answers their keys, so that the objects go first.';
revoke execute on function mill.cleanup_export_files(int) from public;
