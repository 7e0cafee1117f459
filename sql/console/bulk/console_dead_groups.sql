-- Dead letters by kind, error type and shape of message. Bounded like console_jobs: 20,000 rows or 200 ms per call; counts are of the rows that this call has looked at.
create or replace function public.console_dead_groups(p_search text default '', p_cursor text default null, p_limit int default 100) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  v_role text := mill.require_console('viewer');
  v_search jsonb := mill.bulk_search('retry', p_search, null, v_role);
  v_begun timestamptz := clock_timestamp();
  v_size constant int := 1000;
  v_below uuid := mill.walk_from(p_cursor);
  v_groups jsonb := '{}'::jsonb;
  v_looked int := 0;
  v_found int;
  v_last uuid;
  v_more jsonb;
begin
  loop
    execute format(
      'with w as materialized (%s),
        g as (
          select mill.group_of_error(s.kind, s.type, s.shape) as id, s.kind, min(s.queue) as queue, s.type, s.shape, count(*) as count, min(s.finished_at) as first_seen,
            max(s.finished_at) as last_seen, (array_agg(s.id order by s.id desc))[1] as sample, (array_agg(s.message order by s.id desc))[1] as message
          from (
            select j.*, j.error ->> ''type'' as type, j.error ->> ''message'' as message, mill.error_shape(j.error ->> ''message'') as shape from w j where %s offset 0) s
          group by s.kind, s.type, s.shape)
      select (select count(*) from w)::int as rows, (select w.id from w order by w.id limit 1) as last, (select coalesce(jsonb_object_agg(g.id, to_jsonb(g)), ''{}'') from g) as groups',
      mill.job_window(v_search), v_search ->> 'condition')
    into v_found, v_last, v_more using v_below, v_size;
    v_groups := (
      select coalesce(jsonb_object_agg(g.key, g.value || case when v_groups ? g.key then jsonb_build_object(
          'count', (g.value ->> 'count')::bigint + (v_groups #>> array[g.key, 'count'])::bigint,
          'first_seen', least((g.value ->> 'first_seen')::timestamptz, (v_groups #>> array[g.key, 'first_seen'])::timestamptz),
          'sample', v_groups #> array[g.key, 'sample'], 'message', v_groups #> array[g.key, 'message'],
          'last_seen', greatest((g.value ->> 'last_seen')::timestamptz, (v_groups #>> array[g.key, 'last_seen'])::timestamptz)) else '{}' end), '{}')
      from jsonb_each(v_groups || v_more) g where v_more ? g.key) || (v_groups - array(select jsonb_object_keys(v_more)));
    v_looked := v_looked + v_found;
    v_below := coalesce(v_last, v_below);
    exit when v_found < v_size or v_looked >= 20000 or clock_timestamp() > v_begun + interval '200 milliseconds';
  end loop;
  return jsonb_build_object(
    'groups', (
      select coalesce(jsonb_agg(jsonb_build_object('group', g ->> 'id', 'kind', g -> 'kind', 'queue', g -> 'queue', 'type', g -> 'type', 'shape', g -> 'shape', 'count', g -> 'count',
        'first_seen', g -> 'first_seen', 'last_seen', g -> 'last_seen', 'sample', jsonb_build_object('id', g -> 'sample', 'message', mill.cut_text(g ->> 'message', 300)))
        order by (g ->> 'count')::bigint desc, g ->> 'id'), '[]')
      from (select value as g from jsonb_each(v_groups) order by (value ->> 'count')::bigint desc, key limit least(greatest(coalesce(p_limit, 100), 1), 500)) g),
    'looked', v_looked, 'done', v_found < v_size, 'cursor', case when v_found = v_size then v_below end,
    'took_ms', round(extract(epoch from clock_timestamp() - v_begun)::numeric * 1000, 1), 'query', v_search -> 'terms', 'notes', v_search -> 'notes');
end
$$;

comment on function public.console_dead_groups(text, text, int) is
  'Dead letters that match a search by kind, error type and shape of message: {groups, looked, done, cursor}. For viewers of the console.';
revoke execute on function public.console_dead_groups(text, text, int) from public, anon;
grant execute on function public.console_dead_groups(text, text, int) to authenticated, service_role;
