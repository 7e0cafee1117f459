-- What cron wrote down about the last runs of its jobs, by their names. pg_cron has its own columns and so has the relay's; without either there is nothing.
create or replace function mill.console_cron_runs() returns table (name text, runs jsonb)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if to_regclass('cron.job_run_details') is null then
    return;
  end if;
  return query execute
    'select j.jobname::text, jsonb_agg(jsonb_build_object(''at'', r.start_time, ''ok'', r.status <> ''failed'', ''ms'', round(extract(epoch from r.end_time - r.start_time) * 1000),
        ''detail'', case when r.status = ''failed'' then left(r.return_message, 300) end, ''job'', null) order by r.runid desc)
      from (select d.*, row_number() over (partition by d.jobid order by d.runid desc) as place from (select * from cron.job_run_details order by runid desc limit 2000) d) r
      join cron.job j on j.jobid = r.jobid
      where r.place <= 5 group by 1';
end
$$;

comment on function mill.console_cron_runs() is 'The last runs of cron''s jobs by name, as far as cron keeps them.';
revoke execute on function mill.console_cron_runs() from public;

-- The recurring work of Gristmill itself. Nobody pauses it here: without it, jobs stop.
create or replace function mill.console_own_schedules(p_now timestamptz) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('name', s.name, 'description', s.description, 'expression', s.schedule, 'timezone', 'UTC', 'owner', 'gristmill', 'kind', null,
      'payload', null, 'payload_text', null, 'paused', false, 'late', c.reason is not null, 'reason', c.reason, 'critical', s.is_critical, 'every_seconds', s.every_seconds,
      'last_run_at', c.last_run_at,
      'next', to_jsonb(mill.next_due_times(jsonb_populate_record(null::mill.job_schedule, jsonb_build_object('cron', s.schedule, 'time_zone', 'UTC', 'starts_at', '2001-01-01T00:00:00Z')), p_now, 5)),
      'runs', coalesce(r.runs, f.runs, '[]'), 'may', '{"run": true, "pause": false, "edit": false, "delete": false}'::jsonb) order by s.name), '[]')
    from mill.schedule s
    join mill.cron_health() c on c.name = s.name
    left join mill.console_cron_runs() r on r.name = s.name
    left join lateral (
      select jsonb_agg(jsonb_build_object('at', e.at, 'ok', e.ok, 'ms', null, 'detail', e.detail, 'job', null) order by e.at desc) as runs
      from (
        select h.at, true as ok, null as detail from mill.heartbeat h where h.part = s.name
        union all
        (select v.at, false, mill.cut_text(v.detail ->> 'message', 300) from (select * from mill.event o order by o.id desc limit 1000) v
         where v.code = 'schedule_failed' and v.detail ->> 'schedule' = s.name limit 4)) e) f on true);
end
$$;

comment on function mill.console_own_schedules(timestamptz) is 'The recurring work of Gristmill itself, with its next and last runs.';
revoke execute on function mill.console_own_schedules(timestamptz) from public;

create or replace function mill.console_schedule(p_schedule mill.job_schedule, p_now timestamptz) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_row jsonb := mill.schedule_row(p_schedule);
  v_payload jsonb := mill.shown_value(p_schedule.payload, mill.is_sensitive(p_schedule.kind), 16384);
begin
  return jsonb_build_object('name', p_schedule.schedule, 'description', p_schedule.description, 'expression', p_schedule.cron, 'timezone', p_schedule.time_zone, 'owner', 'user',
    'kind', p_schedule.kind, 'queue', v_row -> 'queue', 'payload', v_payload -> 'value', 'payload_text', v_payload -> 'text', 'payload_masked', v_payload -> 'masked',
    'paused', p_schedule.paused, 'late', not p_schedule.paused and p_schedule.next_due < p_now - interval '2 minutes', 'reason', p_schedule.problem, 'critical', false,
    'every_seconds', p_schedule.every_seconds, 'starts_at', p_schedule.starts_at, 'overlap', p_schedule.overlap, 'catch_up', p_schedule.catch_up,
    'catch_up_limit', p_schedule.catch_up_limit, 'priority', p_schedule.priority, 'group_key', p_schedule.group_key, 'due_field', p_schedule.due_field,
    'is_registered', v_row -> 'is_registered', 'last_run_at', v_row #> '{last_run,at}',
    'next', case when p_schedule.paused then '[]' else to_jsonb(mill.next_due_times(p_schedule, p_now, 5)) end,
    'runs', (
      select coalesce(jsonb_agg(jsonb_build_object('at', r.at, 'due', r.due, 'ok', r.outcome in ('due', 'caught_up', 'by_hand') and j.state is distinct from 'failed', 'ms',
        round(extract(epoch from j.finished_at - j.started_at) * 1000), 'detail', r.outcome || coalesce(' (' || r.missed_count || ')', ''), 'job', r.job, 'state', j.state) order by r.due desc), '[]')
      from (select * from mill.job_schedule_run o where o.schedule = p_schedule.schedule order by o.due desc limit 10) r
      left join lateral (select b.state, b.started_at, b.finished_at from mill.job b where b.id = r.job limit 1) j on true),
    'may', '{"run": true, "pause": true, "edit": true, "delete": true}'::jsonb);
end
$$;

comment on function mill.console_schedule(mill.job_schedule, timestamptz) is 'A schedule of users with its next and last runs, as the console shows it.';
revoke execute on function mill.console_schedule(mill.job_schedule, timestamptz) from public;

create or replace function public.console_schedules() returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console('viewer');
  v_now timestamptz := mill.now();
begin
  return jsonb_build_object('now', v_now,
    'cron', case when to_regclass('cron.job') is null then 'none' when exists (select from pg_extension e where e.extname = 'pg_cron') then 'pg_cron' else 'relay' end,
    'schedules', (
      select coalesce(jsonb_agg(mill.console_schedule(s, v_now) order by s.schedule), '[]') from (select * from mill.job_schedule o order by o.schedule limit 300) s)
      || mill.console_own_schedules(v_now),
    'more', (select count(*) > 300 from (select from mill.job_schedule limit 301) s));
end
$$;

comment on function public.console_schedules() is 'Schedules of users and Gristmill''s own, each with its next five times and its last runs. For viewers of the console.';
revoke execute on function public.console_schedules() from public, anon;
grant execute on function public.console_schedules() to authenticated, service_role;
