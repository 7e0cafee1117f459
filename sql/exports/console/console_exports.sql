-- One term of a search of exports as a condition in SQL over an export e and its status s.
create or replace function mill.export_condition(p_term jsonb) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_key text := p_term ->> 'key';
begin
  return case
    when v_key = 'status' then mill.search_condition(p_term, 'e.json ->> ''status''', 'text')
    when v_key = 'template' then mill.search_condition(p_term, 'e.template', 'text')
    when v_key in ('id', 'owner') then mill.search_condition(p_term, 'e.' || v_key, 'uuid')
    when v_key in ('since', 'until') then mill.search_condition(p_term, 'e.created_at', v_key)
    when p_term #>> '{values,0}' ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then mill.search_condition(p_term, 'e.id', 'uuid')
    else mill.search_condition(p_term, 'e.title', 'part') end;
end
$$;

comment on function mill.export_condition(jsonb) is 'One term of a search of exports as a condition in SQL.';
revoke execute on function mill.export_condition(jsonb) from public;

-- Walks down the ids of exports, at most 2,000 and 200 ms per call. Exports that run are found by their progress, which the list carries.
create or replace function public.console_exports(p_search text default '', p_cursor text default null, p_limit int default 50) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_role text := mill.require_console('viewer');
  v_terms jsonb := mill.search_terms(p_search, array['status', 'template', 'owner', 'id', 'since', 'until']);
  v_condition text := coalesce((select string_agg(mill.export_condition(t), ' and ') from jsonb_array_elements(v_terms) t), 'true');
  v_limit int := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_until timestamptz := clock_timestamp() + interval '200 milliseconds';
  v_below uuid := mill.walk_from(p_cursor);
  v_exports jsonb := '[]'::jsonb;
  v_looked int := 0;
  v_found int;
  v_last uuid;
  v_last_match uuid;
  v_more jsonb;
begin
  loop
    execute format(
      'with w as materialized (
          select x.id, x.owner, x.template, x.title, x.created_at, mill.export_json(x) || jsonb_build_object(''owner'', x.owner) as json
          from mill.export x where x.id < $1 order by x.id desc limit 100),
        m as (select * from w e where %s order by id desc limit $2)
      select (select count(*) from w)::int as rows, (select w.id from w order by w.id limit 1) as last, (select m.id from m order by m.id limit 1) as last_match,
        (select coalesce(jsonb_agg(m.json order by m.id desc), ''[]'') from m) as exports', v_condition)
    into v_found, v_last, v_last_match, v_more using v_below, v_limit - jsonb_array_length(v_exports);
    v_exports := v_exports || v_more;
    v_looked := v_looked + v_found;
    v_below := case when jsonb_array_length(v_exports) = v_limit then v_last_match else coalesce(v_last, v_below) end;
    exit when v_found < 100 or jsonb_array_length(v_exports) = v_limit or v_looked >= 2000 or clock_timestamp() > v_until;
  end loop;
  return jsonb_build_object('exports', v_exports, 'looked', v_looked, 'query', v_terms, 'actions', jsonb_build_object('reveal', v_role = 'admin'),
    'done', v_found < 100 and jsonb_array_length(v_exports) < v_limit,
    'cursor', case when v_found = 100 or jsonb_array_length(v_exports) = v_limit then v_below end);
end
$$;

comment on function public.console_exports(text, text, int) is
  'Exports that match a search, newest first, with their progress and files: {exports, looked, done, cursor, query}. For viewers of the console.';
revoke execute on function public.console_exports(text, text, int) from public, anon;
grant execute on function public.console_exports(text, text, int) to authenticated, service_role;
