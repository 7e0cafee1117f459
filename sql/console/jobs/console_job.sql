-- The logs of a job. data is masked with the payload: a handler writes there what it works on.
create or replace function mill.console_logs(p_id uuid, p_is_masked boolean, p_max int) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('more', count(*) > p_max, 'lines', coalesce(jsonb_agg(jsonb_build_object('n', l.n, 'at', l.at, 'attempt', l.attempt, 'level', l.level,
    'message', mill.cut_text(l.message, 4096), 'data', d.shown -> 'value', 'data_text', d.shown -> 'text') order by l.n) filter (where l.place <= p_max), '[]'))
  from (select o.*, row_number() over (order by o.n) as place from mill.job_log o where o.job = p_id order by o.n limit p_max + 1) l
  cross join lateral (select mill.shown_value(l.data, p_is_masked and l.data is not null, 4096) as shown) d
$$;

comment on function mill.console_logs(uuid, boolean, int) is 'The first lines of the log of a job: {lines, more}.';
revoke execute on function mill.console_logs(uuid, boolean, int) from public;

-- The durable steps of a job. A result is shown like the payload: a handler keeps there what it works on.
create or replace function mill.console_steps(p_id uuid, p_is_masked boolean, p_max int) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(jsonb_build_object('attempt', s.attempt, 'name', s.step, 'state', s.state, 'at', s.at, 'until', nullif(s.until, 'infinity'), 'event', s.event,
    'result_text', d.shown -> 'text') order by s.n), '[]')
  from (select o.* from mill.job_step o where o.job = p_id order by o.n desc limit p_max) s
  cross join lateral (select mill.shown_value(s.result, p_is_masked and s.result is not null, 4096) as shown) d
$$;

comment on function mill.console_steps(uuid, boolean, int) is 'The newest steps of a job, in their order.';
revoke execute on function mill.console_steps(uuid, boolean, int) from public;

create or replace function public.console_job(p_id uuid) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console('viewer');
  v_job jsonb := mill.console_found(p_id);
  v_state text := v_job ->> 'state';
  v_masked boolean;
  v_payload jsonb;
  v_result jsonb;
begin
  if v_job is null then
    return '{"job": null}'::jsonb;
  end if;
  v_masked := mill.is_sensitive(v_job ->> 'kind');
  v_payload := mill.shown_value(v_job -> 'payload', v_masked, 65536);
  v_result := mill.shown_value(nullif(v_job -> 'result', 'null'), v_masked, 65536);
  return jsonb_build_object(
    'job', mill.console_row(v_job - array['result', 'error_log', 'line', 'lane', 'slot', 'waits', 'turn'])
      || jsonb_build_object('parent', v_job -> 'parent', 'turn', v_job ->> 'turn', 'expires_at', case when v_state in ('completed', 'cancelled') then (
        select (v_job ->> 'finished_at')::timestamptz + make_interval(days => q.retention_days) from mill.queue q where q.queue = v_job ->> 'queue') end),
    'explain', mill.explain_job(p_id) - array['id', 'queue', 'kind', 'state'],
    'errors', (
      select coalesce(jsonb_agg(jsonb_build_object('attempt', e -> 'attempt', 'at', e -> 'at', 'worker', e -> 'worker', 'type', e -> 'type',
        'message', mill.cut_text(e ->> 'message', 4096), 'stack', mill.cut_text(e ->> 'stack', 8192), 'http_status', e -> 'http_status', 'provider', e -> 'provider',
        'retryable', e -> 'retryable') order by o desc), '[]')
      from jsonb_array_elements(case jsonb_typeof(v_job -> 'error_log') when 'array' then v_job -> 'error_log' else '[]' end) with ordinality as l(e, o)),
    'timeline', mill.console_timeline(v_job),
    'logs', mill.console_logs(p_id, v_masked, 200),
    'steps', mill.console_steps(p_id, v_masked, 200),
    'audit', mill.console_audit_rows(format('a.job_id = %L::uuid', p_id), 50, false),
    'links', mill.console_links(v_job),
    'workflow', case when mill.console_found((v_job ->> 'parent')::uuid) is null then v_job -> 'parent' end,
    'actions', jsonb_build_object(
      'retry', v_role <> 'viewer' and v_state in ('failed', 'deferred', 'retrying'),
      'cancel', v_role <> 'viewer' and v_state in ('pending', 'deferred', 'retrying', 'processing') and not (v_job ->> 'cancel_requested')::boolean,
      'discard', v_role <> 'viewer' and v_state = 'failed', 'enqueue', v_role <> 'viewer', 'reveal', v_role = 'admin' and v_masked))
    || (select jsonb_object_agg(p.name || p.ending, p.shown -> p.field) from (
      select v.name, v.shown, f.field, case f.field when 'value' then '' else '_' || f.field end as ending
      from (values ('payload', v_payload), ('result', v_result)) v(name, shown) cross join unnest(array['value', 'text', 'bytes', 'cut', 'masked']) f(field)) p);
end
$$;

comment on function public.console_job(uuid) is
  'All about one job: its life, payload and result (masked where its kind is sensitive), why it is not running, logs, audit rows and jobs that belong to it. For viewers of the console.';
revoke execute on function public.console_job(uuid) from public, anon;
grant execute on function public.console_job(uuid) to authenticated, service_role;
