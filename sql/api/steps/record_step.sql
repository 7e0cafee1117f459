-- What a step came to, from the holder of its job. The answer is what is kept: of a call that is repeated, or of a step that was finished before, the first result.
create or replace function public.record_step(p_job uuid, p_worker text, p_attempt int, p_step text, p_result jsonb default null) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_step mill.job_step;
begin
  if (mill.held_job(row(p_job, p_worker, p_attempt))).id is null then
    return jsonb_build_object('status', 'lost');
  end if;
  select s.* into v_step from mill.job_step s where s.job = p_job and s.step = p_step;
  if found then
    return jsonb_build_object('status', 'known', 'result', v_step.result);
  end if;
  perform mill.keep_step(jsonb_populate_record(null::mill.job_step, jsonb_build_object(
    'job', p_job, 'step', p_step, 'attempt', p_attempt, 'state', 'finished', 'result', coalesce(p_result, 'null'))));
  return jsonb_build_object('status', 'recorded');
end
$$;

comment on function public.record_step(uuid, text, int, text, jsonb) is 'Keeps the result of a step of a job: recorded, known (with the result that was kept first) or lost.';
revoke execute on function public.record_step(uuid, text, int, text, jsonb) from public, anon, authenticated;
grant execute on function public.record_step(uuid, text, int, text, jsonb) to service_role;
