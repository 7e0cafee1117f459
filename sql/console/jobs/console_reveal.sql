-- What is masked, in clear. The audit row is written before anything is answered, in the same transaction.
create or replace function public.console_reveal(p_id uuid, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.begin_console_action('admin', p_reason);
  v_job jsonb := mill.console_found(p_id);
  v_payload jsonb;
  v_result jsonb;
begin
  if v_job is null then
    raise exception 'there is no job %', p_id using errcode = 'GM112', hint = 'It never existed, or its time of retention is over.';
  end if;
  perform mill.audit('job', p_id::text, 'reveal', p_new => jsonb_build_object('kind', v_job -> 'kind', 'owner', v_job -> 'owner'), p_job_id => p_id,
    p_correlation_id => v_job ->> 'correlation_id');
  v_payload := mill.shown_value(v_job -> 'payload', false, 1048576);
  v_result := mill.shown_value(nullif(v_job -> 'result', 'null'), false, 1048576);
  return jsonb_build_object(
    'payload', v_payload -> 'value', 'payload_text', v_payload -> 'text', 'payload_bytes', v_payload -> 'bytes', 'payload_cut', v_payload -> 'cut',
    'result', v_result -> 'value', 'result_text', v_result -> 'text', 'result_bytes', v_result -> 'bytes', 'result_cut', v_result -> 'cut',
    'logs', mill.console_logs(p_id, false, 200) -> 'lines');
end
$$;

comment on function public.console_reveal(uuid, text) is 'The payload, result and logs of a job in clear. For admins of the console; the audit log keeps who, when and why.';
revoke execute on function public.console_reveal(uuid, text) from public, anon;
grant execute on function public.console_reveal(uuid, text) to authenticated, service_role;
