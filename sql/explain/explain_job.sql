-- One answer to "why is this job not running?". reasons lists all that hold, the strongest first, each with a code for programs, a sentence that says
-- what to do, and the time until which it holds where that is known. sentence is that of the first.
--
-- A pending job is explained from the outside in: what stops its queue, who should fetch it, what stands before it, and last whether the pump,
-- which would find what was lost, runs at all. Nothing here takes a lock, and every count has a bound.
create or replace function mill.explain_job(p_id uuid) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job jsonb := mill.explained_job(p_id);
  v_queue mill.queue;
  v_reasons jsonb;
begin
  if v_job is null then
    return null;
  end if;
  select q.* into v_queue from mill.queue q where q.queue = v_job ->> 'queue';
  if v_job ->> 'state' <> 'pending' then
    select jsonb_agg(to_jsonb(r) order by r.ordinality) into v_reasons from (
      select e.*, row_number() over () as ordinality from (
        select * from mill.explain_attempts(v_job)
        union all
        select l.* from mill.explain_limits(v_job, v_queue) l where l.code = 'queue_paused' and v_job ->> 'state' in ('deferred', 'retrying')) e) r;
  else
    select jsonb_agg(to_jsonb(r) order by r.ordinality) into v_reasons from (
      select e.*, row_number() over () as ordinality from (
        select * from mill.explain_limits(v_job, v_queue)
        union all select * from mill.explain_service(v_job, v_queue)
        union all select * from mill.explain_place(v_job, v_queue)
        union all
        select 'pump_silent', null, format('The pump, which finds what was lost, %s. Run gristmill doctor.', c.reason)
        from mill.cron_health() c join mill.schedule s on s.name = c.name
        where s.step = 'mill.pump_once' and c.reason is not null) e) r;
  end if;
  v_reasons := coalesce(v_reasons, jsonb_build_array(jsonb_build_object(
    'code', 'ready', 'until', null, 'sentence', 'Nothing holds the job back: the next claim of its queue takes it. There is nothing to do.')));
  v_reasons := (select jsonb_agg(r - 'ordinality' order by o) from jsonb_array_elements(v_reasons) with ordinality as e(r, o));
  return jsonb_build_object('id', p_id, 'queue', v_job -> 'queue', 'kind', v_job -> 'kind', 'state', v_job -> 'state',
    'sentence', v_reasons #> '{0,sentence}', 'reasons', v_reasons);
end
$$;

comment on function mill.explain_job(uuid) is 'Why a job is not running, as {id, queue, kind, state, sentence, reasons: [{code, until, sentence}]}; null for an unknown job.';
revoke execute on function mill.explain_job(uuid) from public;

-- The owner of a job learns where it stands, but nothing about workers, other tenants and the operator's settings.
create or replace function public.explain_job(p_id uuid) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job jsonb := mill.explained_job(p_id);
  v_state text := v_job ->> 'state';
  v_code text;
  v_until timestamptz;
  v_sentence text;
begin
  if public.is_service_role() then
    return mill.explain_job(p_id);
  end if;
  if v_job is null or (v_job ->> 'owner')::uuid is distinct from auth.uid() then
    return null;
  end if;
  case
    when v_state = 'pending' then
      v_code := 'waiting';
      v_sentence := 'The job waits for its turn.';
    when v_state = 'processing' then
      v_code := 'running';
      v_sentence := 'The job is running.';
    when v_state = 'failed' then
      v_code := 'dead';
      v_sentence := 'The job has failed and is not tried again.';
    when v_state = 'retrying' then
      v_code := 'retrying';
      v_until := (v_job ->> 'run_at')::timestamptz;
      v_sentence := format('An attempt has failed. The job is tried again at %s.', mill.time_text(v_until));
    when v_state = 'deferred' then
      v_code := 'not_due';
      v_until := (v_job ->> 'run_at')::timestamptz;
      v_sentence := format('The job is not due before %s.', mill.time_text(v_until));
    else
      v_code := v_state;
      v_sentence := format('The job is %s.', v_state);
  end case;
  return jsonb_build_object('id', p_id, 'queue', v_job -> 'queue', 'kind', v_job -> 'kind', 'state', v_state, 'sentence', v_sentence,
    'reasons', jsonb_build_array(jsonb_build_object('code', v_code, 'until', v_until, 'sentence', v_sentence)));
end
$$;

comment on function public.explain_job(uuid) is
  'Why a job is not running: {id, queue, kind, state, sentence, reasons}. The service learns every reason, the owner only where the job stands; null for an unknown job and for another''s.';
revoke execute on function public.explain_job(uuid) from public, anon;
grant execute on function public.explain_job(uuid) to authenticated, service_role;
