-- Dead letters of its tasks go back to the engine, which resumes the job (mill.retry). Where there are none, because a
-- task failed before it could start or was cancelled, the job is resumed here. Lock order: dead letters, then the job.
create or replace function public.retry_workflow(p_id uuid) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job mill.workflow;
begin
  perform mill.refuse_in_maintenance();
  select * into v_job from mill.workflow j where j.id = p_id and (public.is_service_role() or j.user_id = auth.uid());
  if not found then
    return null;
  end if;
  if v_job.status <> 'failed' then
    raise exception 'only a failed job can be resumed; this one is %', v_job.status using errcode = 'GM067';
  end if;
  if v_job.compensating then
    raise exception 'the job has been undone by its compensation and cannot be resumed' using errcode = 'GM067',
      hint = 'Start it anew.';
  end if;
  perform mill.retry(array(select t.id from mill.task t where t.job_id = p_id and t.state = 'failed'));
  perform mill.resume_workflow(p_id, '{}');
  return (select mill.shown_progress(j) from mill.workflow j where j.id = p_id);
end
$$;

comment on function public.retry_workflow(uuid) is
  'Resumes a failed job of the caller''s from its failed tasks, keeping what is done. Raises GM067 when there is nothing to resume.';
revoke execute on function public.retry_workflow(uuid) from public, anon;
grant execute on function public.retry_workflow(uuid) to authenticated, service_role;
