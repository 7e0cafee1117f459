-- Takes what lies in mill.ended about a job. Only tasks that are queued change: what is told twice, or after its
-- job was cancelled, changes nothing. The caller holds the job. Where there is nothing to keep beside the state, tasks
-- are matched by an array and not by a join.
--
-- Large batches of a list that nothing follows item by item are counted and left as they are: the row is the record.
-- Writing each of its tasks cost as much as claiming them did. mill.write_ended does so where a job is resumed.
create or replace function mill.record_ended(p_job_id uuid, out ended uuid[], out failed uuid[], out is_step_done boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  v_told mill.ended;
  v_ids uuid[];
  v_keys text[] := array[]::text[];
  v_completed int[] := array[]::int[];
  v_failed int[] := array[]::int[];
  v_has_artifacts boolean := false;
begin
  ended := '{}';
  failed := '{}';
  for v_told in
    select e.* from mill.ended e where e.parent = p_job_id and not e.counted order by e.n
  loop
    if cardinality(v_told.ids) >= 50 and mill.is_countable(v_told) then
      update mill.ended e set counted = true where e.xid = v_told.xid and e.n = v_told.n;
      v_keys := v_keys || v_told.name;
      v_completed := v_completed || cardinality(v_told.ids);
      v_failed := v_failed || 0;
      continue;
    end if;
    delete from mill.ended e where e.xid = v_told.xid and e.n = v_told.n;
    if v_told.results is null and v_told.errors is null then
      with changed as (
        update mill.task t set state = v_told.state, finished_at = v_told.at
        where t.id = any (v_told.ids) and t.state = 'queued'
        returning t.id
      )
      select array_agg(c.id) into v_ids from changed c;
    else
      with changed as (
        update mill.task t set state = v_told.state, output = e.output, error = e.error, finished_at = v_told.at
        from unnest(v_told.ids, v_told.results, v_told.errors) as e(id, output, error)
        where t.id = e.id and t.state = 'queued'
        returning t.id
      )
      select array_agg(c.id) into v_ids from changed c;
      v_has_artifacts := v_has_artifacts or exists (select from unnest(v_told.results) as o(output) where o.output ? 'artifacts');
    end if;
    continue when v_ids is null;
    ended := ended || v_ids;
    v_keys := v_keys || v_told.name;
    if v_told.state = 'completed' then
      v_completed := v_completed || cardinality(v_ids);
      v_failed := v_failed || 0;
    else
      failed := failed || v_ids;
      v_completed := v_completed || 0;
      v_failed := v_failed || cardinality(v_ids);
    end if;
  end loop;

  is_step_done := mill.count_ended(p_job_id, v_keys, v_completed, v_failed);
  if v_has_artifacts then
    perform mill.keep_artifacts(ended);
  end if;
end
$$;

comment on function mill.record_ended(uuid) is
  'Keeps what became of tasks of a job and counts it, one update a step; says what ended, what of it not well, and whether a step was done with it.';
revoke execute on function mill.record_ended(uuid) from public;
