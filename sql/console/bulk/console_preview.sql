-- Counts what a search matches, within a bound of rows and time: {count, more, looked, samples, by_kind}.
create or replace function mill.count_matches(p_search jsonb, p_max_rows int, p_time interval) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  v_until timestamptz := clock_timestamp() + p_time;
  v_size constant int := 2000;
  v_below uuid := mill.walk_from(null);
  v_kinds jsonb := '{}'::jsonb;
  v_samples jsonb := '[]'::jsonb;
  v_count int := 0;
  v_looked int := 0;
  v_found int;
  v_matches int;
  v_last uuid;
  v_more jsonb;
  v_some jsonb;
begin
  loop
    execute format(
      'with w as materialized (%s),
        m as materialized (select * from w j where %s)
      select (select count(*) from w)::int as rows, (select count(*) from m)::int as matches, (select w.id from w order by w.id limit 1) as last,
        (select coalesce(jsonb_object_agg(k.kind, k.jobs), ''{}'') from (select m.kind, count(*) as jobs from m group by 1) k) as kinds,
        (select coalesce(jsonb_agg(mill.console_row(to_jsonb(s)) order by s.id desc), ''[]'') from (select * from m order by id desc limit $3) s) as samples',
      mill.job_window(p_search), p_search ->> 'condition')
    into v_found, v_matches, v_last, v_more, v_some using v_below, v_size, 5 - jsonb_array_length(v_samples);
    v_count := v_count + v_matches;
    v_looked := v_looked + v_found;
    v_samples := v_samples || v_some;
    v_kinds := v_kinds || (select coalesce(jsonb_object_agg(k.key, k.value::bigint + coalesce((v_kinds ->> k.key)::bigint, 0)), '{}') from jsonb_each_text(v_more) k);
    v_below := coalesce(v_last, v_below);
    exit when v_found < v_size or v_looked >= p_max_rows or clock_timestamp() > v_until;
  end loop;
  return jsonb_build_object('count', v_count, 'more', v_found = v_size, 'looked', v_looked, 'samples', v_samples,
    'by_kind', (select coalesce(jsonb_agg(jsonb_build_object('kind', k.key, 'count', k.value) order by k.value::bigint desc, k.key), '[]') from jsonb_each(v_kinds) k));
end
$$;

comment on function mill.count_matches(jsonb, int, interval) is 'How many jobs a search matches, counted to a bound: {count, more, looked, samples, by_kind}.';
revoke execute on function mill.count_matches(jsonb, int, interval) from public;

create or replace function public.console_preview(p_action text, p_search text default '', p_group text default null) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console('operator');
  v_search jsonb := mill.bulk_search(p_action, p_search, p_group, v_role);
begin
  return mill.count_matches(v_search, 20000, interval '300 milliseconds')
    || jsonb_build_object('action', p_action, 'query', v_search -> 'terms', 'notes', v_search -> 'notes');
end
$$;

comment on function public.console_preview(text, text, text) is
  'What a bulk action would do: how many jobs match, counted to a bound, of which kinds, and five of them. For operators of the console.';
revoke execute on function public.console_preview(text, text, text) from public, anon;
grant execute on function public.console_preview(text, text, text) to authenticated, service_role;
