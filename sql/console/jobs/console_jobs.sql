-- Finds jobs, newest first. The walk stops when there are enough, after 40,000 rows, or after 200 ms, and answers a cursor from which it goes on:
-- nothing is counted and nothing skipped by OFFSET, however long the history is.
create or replace function public.console_jobs(p_search text default '', p_cursor text default null, p_limit int default 50) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  v_role text := mill.require_console('viewer');
  v_search jsonb := mill.job_search(p_search, v_role);
  v_window text := mill.job_window(v_search);
  v_until timestamptz := clock_timestamp() + interval '200 milliseconds';
  v_begun timestamptz := clock_timestamp();
  v_limit int := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_below uuid := mill.walk_from(p_cursor);
  v_size int := case when v_search ->> 'condition' = 'true' then v_limit else 1000 end;
  v_jobs jsonb := '[]'::jsonb;
  v_looked int := 0;
  v_found int;
  v_last uuid;
  v_last_match uuid;
  v_more jsonb;
begin
  loop
    execute format(
      'with w as materialized (%s),
        m as (select * from w j where %s order by id desc limit $3)
      select (select count(*) from w)::int as rows, (select w.id from w order by w.id limit 1) as last,
        (select m.id from m order by m.id limit 1) as last_match, (select coalesce(jsonb_agg(mill.console_row(to_jsonb(m), $4, $5) order by m.id desc), ''[]'') from m) as jobs',
      v_window, v_search ->> 'condition')
    into v_found, v_last, v_last_match, v_more using v_below, v_size, v_limit - jsonb_array_length(v_jobs), v_search -> 'columns', v_role;
    v_jobs := v_jobs || v_more;
    v_looked := v_looked + v_found;
    v_below := case when jsonb_array_length(v_jobs) = v_limit then v_last_match else coalesce(v_last, v_below) end;
    exit when v_found < v_size or jsonb_array_length(v_jobs) = v_limit or v_looked >= 40000 or clock_timestamp() > v_until;
    v_size := least(4000, 40000 - v_looked);
  end loop;
  return jsonb_build_object('jobs', v_jobs, 'looked', v_looked,
    'done', v_found < v_size and (jsonb_array_length(v_jobs) < v_limit or v_below = v_last),
    'cursor', case when v_found < v_size and (jsonb_array_length(v_jobs) < v_limit or v_below = v_last) then null else v_below end,
    'reached', mill.time_of_id(v_below), 'took_ms', round(extract(epoch from clock_timestamp() - v_begun)::numeric * 1000, 1),
    'query', v_search -> 'terms', 'notes', v_search -> 'notes');
end
$$;

comment on function public.console_jobs(text, text, int) is
  'Jobs that match a search, newest first: {jobs, looked, done, cursor, reached, took_ms, query, notes}. For viewers of the console; see docs/console.md for the search.';
revoke execute on function public.console_jobs(text, text, int) from public, anon;
grant execute on function public.console_jobs(text, text, int) to authenticated, service_role;
