-- The life of a job, as far as rows tell: when it was enqueued, each failed attempt that its history keeps (the ten newest), the running one, its end,
-- and the invocation that began the last attempt.
create or replace function mill.console_timeline(p_job jsonb) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_state text := p_job ->> 'state';
  v_started timestamptz := (p_job ->> 'started_at')::timestamptz;
  v_finished timestamptz := (p_job ->> 'finished_at')::timestamptz;
  v_attempt int := (p_job ->> 'attempt')::int;
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('at', e.at, 'event', e.event, 'attempt', e.attempt, 'worker', e.worker, 'detail', mill.cut_text(e.detail, 500),
      'until', e.until, 'ms', round(e.ms)) order by e.at, e.place), '[]')
    from (
      select 1 as place, (p_job ->> 'created_at')::timestamptz as at, 'enqueued' as event, null::int as attempt, null as worker, null as detail, null::timestamptz as until, null::numeric as ms
      union all
      select 2, (p_job ->> 'run_at')::timestamptz, case v_state when 'retrying' then 'retrying' else 'due' end, null, null,
        case v_state when 'retrying' then 'the next attempt' end, null, null
      where (p_job ->> 'run_at')::timestamptz > (p_job ->> 'created_at')::timestamptz + interval '1 second'
      union all
      select 4, mill.time_or_null(l.error ->> 'at'), case l.error ->> 'type' when 'worker_lost' then 'lost' else 'failed' end, (l.error ->> 'attempt')::int, l.error ->> 'worker',
        concat_ws(': ', l.error ->> 'type', l.error ->> 'message'), null, null
      from jsonb_array_elements(case jsonb_typeof(p_job -> 'error_log') when 'array' then p_job -> 'error_log' else '[]' end) as l(error)
      union all
      select 3, v_started, 'started', v_attempt, p_job ->> 'worker', null, (p_job ->> 'lease_until')::timestamptz,
        extract(epoch from coalesce(v_finished, case when v_state = 'processing' then mill.now() end) - v_started) * 1000
      where v_started is not null
      union all
      select 5, v_finished, case v_state when 'failed' then 'died' else v_state end, v_attempt, p_job ->> 'worker', p_job #>> '{error,message}', null,
        extract(epoch from v_finished - v_started) * 1000
      where v_finished is not null
      union all
      select 2, i.asked_at, 'invoked', v_attempt, i.worker, concat_ws(': ', i.reason, i.failure), null, extract(epoch from i.ended_at - i.asked_at) * 1000
      from (
        select o.* from mill.invocation o
        where o.asked_at between v_started - interval '15 minutes' and v_started + interval '1 second' order by o.asked_at desc limit 2000) i
      where i.worker = p_job ->> 'worker' and i.queue = p_job ->> 'queue') e
    where e.at is not null);
end
$$;

comment on function mill.console_timeline(jsonb) is 'The life of a job as a list of events, oldest first.';
revoke execute on function mill.console_timeline(jsonb) from public;
