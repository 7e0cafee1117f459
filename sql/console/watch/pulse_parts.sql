-- The cursor of a pulse; anything that is none begins anew.
create or replace function mill.pulse_cursor(p_cursor text) returns jsonb
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return case when length(p_cursor) <= 20000 and jsonb_typeof(p_cursor::jsonb) = 'object' then p_cursor::jsonb else '{}'::jsonb end;
exception when invalid_text_representation then
  return '{}'::jsonb;
end
$$;

comment on function mill.pulse_cursor(text) is 'The cursor of a pulse as an object. For console_pulse alone.';
revoke execute on function mill.pulse_cursor(text) from public;

-- State, attempt and progress of the jobs on a screen: 25 at the most.
create or replace function mill.pulse_watch(p_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
begin
  if coalesce(cardinality(p_ids), 0) = 0 then
    return '{}'::jsonb;
  end if;
  return (
    select coalesce(jsonb_object_agg(w.id, coalesce(
      (select jsonb_build_array(j.state, j.attempt, j.progress) from mill.job_live j where j.id = w.id),
      (select jsonb_build_array(j.state, j.attempt, j.progress) from mill.job_dead j where j.id = w.id),
      (select jsonb_build_array(j.state, j.attempt, j.progress) from mill.job_done j where j.id = w.id limit 1),
      (select jsonb_build_array('pending', 0, 0) from mill.pack p where p.first = mill.pack_of(w.id) and w.id = any (p.ids)),
      '["gone", 0, 0]')), '{}')
    from (select distinct u.id from unnest(p_ids[1:25]) u(id) where u.id is not null) w);
end
$$;

comment on function mill.pulse_watch(uuid[]) is 'State, attempt and progress of some jobs, by id. For console_pulse alone.';
revoke execute on function mill.pulse_watch(uuid[]) from public;

-- What is small. The counters are Postgres' own statistics: how many rows were ever inserted where jobs end, so nothing is counted.
create or replace function mill.pulse_rest(p_now timestamptz) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  return jsonb_build_object(
    'counters', jsonb_build_object(
      'finished', (select coalesce(sum(pg_stat_get_tuples_inserted(i.inhrelid)), 0) from pg_inherits i where i.inhparent = 'mill.job_done'::regclass),
      'dead', pg_stat_get_tuples_inserted('mill.job_dead'::regclass)),
    'alerts', (select jsonb_build_object('firing', count(*) filter (where a.state = 'firing'), 'digest', left(md5(coalesce(string_agg(a.id || a.state, ',' order by a.id), '')), 6))
      from (select o.id, o.state from mill.alert o where o.state <> 'resolved' order by o.id limit 200) a),
    'schedules_late', (select count(*) from mill.cron_health() c where c.reason is not null),
    'workers', mill.count_workers(p_now),
    'bulks', (select coalesce(jsonb_agg(jsonb_build_object('id', b.id, 'state', b.state, 'done', b.done, 'total', b.total, 'total_more', b.total_is_more) order by b.id desc), '[]')
      from (select * from mill.console_bulk o where o.state = 'running' or o.updated_at > p_now - interval '10 seconds' order by o.id desc limit 5) b));
end
$$;

comment on function mill.pulse_rest(timestamptz) is 'Counters, alerts, schedules, workers and bulk actions in numbers. For console_pulse alone.';
revoke execute on function mill.pulse_rest(timestamptz) from public;
