-- Jobs that ended long ago: their artifacts' objects go first, then the rows, then the job with its tasks. A crash in
-- between leaves rows, whose objects are named again. Beside the artifacts are named the places that tasks without a
-- good end may have written to: their object was stored, but no row says so.
create or replace function mill.cleanup_workflows(p_max int) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old timestamptz := mill.now() - make_interval(days => mill.setting('workflows.remember_days', '90')::int);
  v_jobs uuid[] := array(
    select j.id from mill.workflow j where j.finished_at < v_old and not j.stragglers
      and not exists (
        select from mill.task t join mill.job_live l on l.id = t.id where t.job_id = j.id and t.state = 'queued')
    order by j.finished_at limit least(p_max, 100));
  v_keys text[] := array(
    select k.key from (
      select case a.bucket when 'gristmill' then '' else a.bucket || ':' end || a.storage_path as key, 1 as place
      from public.job_artifacts a where a.job_id = any (v_jobs)
      union all
      select format('%s/%s/%s', j.user_id, j.id, format(f.form, t.id)), 2
      from mill.workflow j join mill.task t on t.job_id = j.id and t.state in ('failed', 'cancelled') and t.item >= 0
      cross join (values ('json/%s.json'), ('pdf/%s.pdf'), ('audio/%s.mp3')) as f(form)
      where j.id = any (v_jobs)
      union
      -- What compat workers have stored and not named.
      select o.object, 2 from mill.stored_objects('job-artifacts') o
      where split_part(o.object, '/', 2) = any (v_jobs::text[]) and not exists (
        select from public.job_artifacts a where a.bucket || ':' || a.storage_path = o.object)) k
    order by k.place limit p_max);
  v_empty int;
begin
  delete from mill.workflow j where j.id = any (v_jobs) and not j.id = any (array(select split_part(k.key, '/', 2)::uuid from unnest(v_keys) as k(key)))
    and not exists (select from public.job_artifacts a where a.job_id = j.id);
  get diagnostics v_empty = row_count;
  return jsonb_build_object('forgotten', v_empty, 'remove', to_jsonb(v_keys), 'more', v_jobs <> '{}');
end
$$;

comment on function mill.cleanup_workflows(int) is 'Forgets jobs that ended long ago; answers the keys of objects that must go before.';
revoke execute on function mill.cleanup_workflows(int) from public;
