create or replace function public.console_resume_bulk(p_id uuid, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_bulk mill.console_bulk;
begin
  perform mill.begin_console_action('operator', p_reason);
  v_bulk := mill.locked_bulk(p_id);
  if v_bulk.state not in ('stopped', 'failed') then
    raise exception 'the bulk action is % and cannot be resumed', v_bulk.state using errcode = 'GM112', hint = 'Only a bulk action that was stopped or has failed can be resumed.';
  end if;
  update mill.console_bulk b set state = 'running', finished_at = null, error = null, job = mill.enqueue_bulk(v_bulk), updated_at = mill.now() where b.id = p_id returning * into v_bulk;
  perform mill.audit('console_bulk', p_id::text, 'resume', p_new => jsonb_build_object('done', v_bulk.done), p_job_id => v_bulk.job);
  return mill.shown_bulk(v_bulk);
end
$$;

comment on function public.console_resume_bulk(uuid, text) is 'Lets a bulk action go on from where it was stopped or has failed. For operators of the console.';
revoke execute on function public.console_resume_bulk(uuid, text) from public, anon;
grant execute on function public.console_resume_bulk(uuid, text) to authenticated, service_role;
