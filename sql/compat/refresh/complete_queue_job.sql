create or replace function public.complete_queue_job(p_job_id uuid, p_data_size_bytes bigint) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_payload jsonb := (select j.payload from mill.job_live j where j.id = p_job_id);
  v_done boolean;
begin
  perform mill.require_primary();
  v_done := mill.settle_compat_lease(p_job_id, jsonb_build_object(
    'outcome', 'completed', 'result', jsonb_build_object('status', 'completed', 'bytes', p_data_size_bytes)), '^refresh(-|$)');
  -- Only the first completion counts: a second one finds the job gone and adds no usage.
  if v_done then
    perform mill.end_refresh_pauses(jsonb_build_array(v_payload));
    perform mill.note_fetches(jsonb_build_array(v_payload || jsonb_build_object(
      'id', p_job_id, 'outcome', 'fetched', 'bytes', coalesce(p_data_size_bytes, 0))), mill.now());
  end if;
end
$$;

comment on function public.complete_queue_job(uuid, bigint) is 'Completes a refresh that get_queue_batch gave out and counts its bytes. Nothing happens when no such lease runs.';
revoke execute on function public.complete_queue_job(uuid, bigint) from public, anon, authenticated;
grant execute on function public.complete_queue_job(uuid, bigint) to service_role;
