-- One term of a search of the audit log as SQL.
create or replace function mill.audit_condition(p_term jsonb) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_key text := p_term ->> 'key';
begin
  return case
    when v_key in ('action', 'source') then mill.search_condition(p_term, 'a.' || v_key, 'text')
    when v_key = 'table' then mill.search_condition(p_term, 'a.table_name', 'text')
    when v_key = 'record' then mill.search_condition(p_term, 'a.record_id', 'text')
    when v_key = 'correlation' then mill.search_condition(p_term, 'a.correlation_id', 'text')
    when v_key = 'actor' then mill.search_condition(p_term, 'a.actor', 'uuid')
    when v_key = 'job' then mill.search_condition(p_term, 'a.job_id', 'uuid')
    when v_key = 'reason' then mill.search_condition(p_term, 'a.reason', 'part')
    when v_key in ('since', 'until') then mill.search_condition(p_term, 'a.at', v_key)
    else mill.search_condition(p_term, '(a.action || '' '' || coalesce(a.record_id, '''') || '' '' || coalesce(a.reason, ''''))', 'part') end;
end
$$;

comment on function mill.audit_condition(jsonb) is 'One term of a search of the audit log as a condition in SQL over a row a.';
revoke execute on function mill.audit_condition(jsonb) from public;

-- Walks the ids of the audit log downwards, 20,000 rows or 200 ms per call. Where the search names a job or a record of a table, its index leads there.
create or replace function public.console_audit(p_search text default '', p_cursor text default null, p_limit int default 50) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_role text := mill.require_console('viewer');
  v_terms jsonb := mill.search_terms(p_search, array['action', 'table', 'record', 'actor', 'source', 'job', 'reason', 'since', 'until', 'correlation']);
  v_condition text := coalesce((select string_agg(mill.audit_condition(t), ' and ') from jsonb_array_elements(v_terms) t), 'true');
  -- The log is split by months: a time in the search leaves months out.
  v_times text := coalesce((select string_agg(mill.audit_condition(t), ' and ') from jsonb_array_elements(v_terms) t where t ->> 'key' in ('since', 'until', 'job')), 'true');
  v_until timestamptz := clock_timestamp() + interval '200 milliseconds';
  v_limit int := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_size int := case when v_terms = '[]' then v_limit else 2000 end;
  v_below bigint;
  v_rows jsonb := '[]'::jsonb;
  v_looked int := 0;
  v_found int;
  v_last bigint;
  v_last_match bigint;
  v_more jsonb;
begin
  if p_cursor !~ '^\d{1,18}$' then
    raise exception 'this RPC has not given this cursor' using errcode = 'GM110', hint = 'Send the cursor of the previous answer, or no cursor to begin anew.';
  end if;
  v_below := coalesce(p_cursor::bigint, 9223372036854775807);
  loop
    execute format(
      'with w as materialized (select * from mill.audit_log a where a.id < $1 and %s order by a.id desc limit $2),
        m as (select * from w a where %s order by a.id desc limit $3)
      select (select count(*) from w)::int as rows, (select min(w.id) from w) as last, (select min(m.id) from m) as last_match,
        (select coalesce(jsonb_agg(mill.console_audit_row(to_jsonb(m), $4) order by m.id desc), ''[]'') from m) as shown', v_times, v_condition)
    into v_found, v_last, v_last_match, v_more using v_below, v_size, v_limit - jsonb_array_length(v_rows), v_role = 'admin';
    v_rows := v_rows || v_more;
    v_looked := v_looked + v_found;
    v_below := case when jsonb_array_length(v_rows) = v_limit then v_last_match else coalesce(v_last, v_below) end;
    exit when v_found < v_size or jsonb_array_length(v_rows) = v_limit or v_looked >= 20000 or clock_timestamp() > v_until;
  end loop;
  return jsonb_build_object('rows', v_rows, 'looked', v_looked, 'query', v_terms,
    'done', v_found < v_size and (jsonb_array_length(v_rows) < v_limit or v_below = v_last),
    'cursor', case when v_found = v_size or jsonb_array_length(v_rows) = v_limit and v_below > v_last then v_below::text end);
end
$$;

comment on function public.console_audit(text, text, int) is 'Rows of the audit log that match a search, newest first: {rows, looked, done, cursor, query}. Old and new values are for admins. For viewers of the console.';
revoke execute on function public.console_audit(text, text, int) from public, anon;
grant execute on function public.console_audit(text, text, int) to authenticated, service_role;
