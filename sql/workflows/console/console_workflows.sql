-- One workflow as the console lists it.
create or replace function mill.console_workflow_row(p_job mill.workflow) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('id', p_job.id, 'type', p_job.type, 'version', p_job.version, 'status', s.status, 'percent', s.percent, 'phase', s.phase, 'message', s.message,
    'user_id', p_job.user_id, 'created_at', p_job.created_at, 'updated_at', p_job.updated_at, 'finished_at', p_job.finished_at, 'correlation_id', p_job.correlation_id,
    'error', case when jsonb_typeof(p_job.error) = 'object' then jsonb_build_object('type', left(p_job.error ->> 'type', 100), 'message', mill.cut_text(p_job.error ->> 'message', 500)) end,
    'steps', (select jsonb_build_object('total', count(*), 'completed', count(*) filter (where t.state = 'completed'), 'open', count(*) filter (where t.state = 'open'),
        'failed', count(*) filter (where t.failed > 0)) from mill.step t where t.job_id = p_job.id))
  from mill.workflow_state s where s.id = p_job.id
$$;

comment on function mill.console_workflow_row(mill.workflow) is 'One workflow as the console lists it.';
revoke execute on function mill.console_workflow_row(mill.workflow) from public;

create or replace function mill.workflow_condition(p_term jsonb) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_key text := p_term ->> 'key';
begin
  return case
    when v_key = 'type' then mill.search_condition(p_term, 'j.type', 'text')
    -- A workflow whose first task has begun is shown as processing, although its row says queued.
    when v_key = 'status' then mill.search_condition(p_term, '(select s.status from mill.workflow_state s where s.id = j.id)', 'text')
    when v_key = 'correlation' then mill.search_condition(p_term, 'j.correlation_id', 'text')
    when v_key = 'id' then mill.search_condition(p_term, 'j.id', 'uuid')
    when v_key = 'owner' then mill.search_condition(p_term, 'j.user_id', 'uuid')
    when v_key in ('since', 'until') then mill.search_condition(p_term, 'j.created_at', v_key)
    else mill.search_condition(p_term, '(j.type || '' '' || j.id::text || '' '' || coalesce(j.error ->> ''message'', ''''))', 'part') end;
end
$$;

comment on function mill.workflow_condition(jsonb) is 'One term of a search of workflows as a condition in SQL over a row j.';
revoke execute on function mill.workflow_condition(jsonb) from public;

-- Newest first, 5,000 rows or 200 ms per call.
create or replace function public.console_workflows(p_search text default '', p_cursor text default null, p_limit int default 50) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_role text := mill.require_console('viewer');
  v_terms jsonb := mill.search_terms(p_search, array['type', 'status', 'id', 'owner', 'since', 'until', 'correlation']);
  v_condition text := coalesce((select string_agg(mill.workflow_condition(t), ' and ') from jsonb_array_elements(v_terms) t), 'true');
  v_bounds jsonb := mill.search_bounds(v_terms);
  v_until timestamptz := clock_timestamp() + interval '200 milliseconds';
  v_limit int := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_size int := case when v_terms = '[]' then v_limit else 500 end;
  v_below uuid := mill.walk_from(p_cursor);
  v_rows jsonb := '[]'::jsonb;
  v_looked int := 0;
  v_found int;
  v_last uuid;
  v_last_match uuid;
  v_more jsonb;
begin
  loop
    execute format(
      'with w as materialized (select * from mill.workflow where id < $1 and id between %L::uuid and %L::uuid order by id desc limit $2),
        m as (select * from w j where %s order by j.id desc limit $3)
      select (select count(*) from w)::int as rows, (select w.id from w order by w.id limit 1) as last, (select m.id from m order by m.id limit 1) as last_match,
        (select coalesce(jsonb_agg(mill.console_workflow_row(m::mill.workflow) order by m.id desc), ''[]'') from m) as shown', v_bounds ->> 'lowest', v_bounds ->> 'highest', v_condition)
    into v_found, v_last, v_last_match, v_more using v_below, v_size, v_limit - jsonb_array_length(v_rows);
    v_rows := v_rows || v_more;
    v_looked := v_looked + v_found;
    v_below := case when jsonb_array_length(v_rows) = v_limit then v_last_match else coalesce(v_last, v_below) end;
    exit when v_found < v_size or jsonb_array_length(v_rows) = v_limit or v_looked >= 5000 or clock_timestamp() > v_until;
  end loop;
  return jsonb_build_object('workflows', v_rows, 'looked', v_looked, 'query', v_terms,
    'done', v_found < v_size and (jsonb_array_length(v_rows) < v_limit or v_below = v_last),
    'cursor', case when v_found = v_size or jsonb_array_length(v_rows) = v_limit and v_below > v_last then v_below::text end);
end
$$;

comment on function public.console_workflows(text, text, int) is 'Workflows that match a search, newest first: {workflows, looked, done, cursor, query}. For viewers of the console.';
revoke execute on function public.console_workflows(text, text, int) from public, anon;
grant execute on function public.console_workflows(text, text, int) to authenticated, service_role;
