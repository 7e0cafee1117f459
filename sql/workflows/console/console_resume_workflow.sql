-- Lock order: dead letters, then the workflow. See retry_workflow, which does this for the owner.
create or replace function public.console_resume_workflow(p_id uuid, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job mill.workflow;
begin
  perform mill.begin_console_action('operator', p_reason);
  select * into v_job from mill.workflow j where j.id = p_id;
  if not found then
    raise exception 'there is no workflow %', p_id using errcode = 'GM112', hint = 'It never existed, or its time of retention is over.';
  end if;
  if v_job.status <> 'failed' or v_job.compensating then
    raise exception 'only a failed workflow can be resumed; this one is %', case when v_job.compensating then 'undone by its compensation' else v_job.status end
      using errcode = 'GM067', hint = 'Start it anew.';
  end if;
  perform mill.audit('jobs', p_id::text, 'resume_workflow');
  perform mill.retry(array(select t.id from mill.task t where t.job_id = p_id and t.state = 'failed'));
  perform mill.resume_workflow(p_id, '{}');
  return (select jsonb_build_object('id', j.id, 'status', j.status) from mill.workflow j where j.id = p_id);
end
$$;

comment on function public.console_resume_workflow(uuid, text) is 'Resumes a failed workflow from its failed tasks: {id, status}. For operators of the console.';
revoke execute on function public.console_resume_workflow(uuid, text) from public, anon;
grant execute on function public.console_resume_workflow(uuid, text) to authenticated, service_role;
