-- An attempt of a stage failed, or a provider asked to come back later. The job returns to its queue, and the document says why and when
-- the next attempt is due: one transaction. p_outcome: {outcome, error, delay_seconds, usage}, see mill.settle. A stage that is given up
-- fails its document by mill.bury_documents.
create or replace function public.fail_document_stage(p_job uuid, p_worker text, p_attempt int, p_outcome jsonb) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_holder mill.holder := (p_job, p_worker, p_attempt);
  v_file public.shell_files := mill.document_of_job(v_holder);
  v_error jsonb := p_outcome -> 'error';
  v_calls jsonb;
begin
  v_error := v_error || coalesce((
    select jsonb_build_object('duration_ms', (extract(epoch from mill.now() - j.started_at) * 1000)::bigint)
    from mill.job_live j where j.id = p_job and j.started_at is not null), '{}');
  if v_error ? 'provider' then
    v_calls := jsonb_build_object('total_calls', 1, 'failed_calls', 1, 'rate_limit_hits', (v_error ->> 'type' = 'rate_limited')::int,
      'backpressure_delays', (p_outcome ->> 'outcome' = 'snoozed')::int);
    update public.shell_files f set processing_error = f.processing_error || mill.counted_calls(f.processing_error, v_calls)
    where f.id = v_file.id;
  end if;
  if not mill.settle_held(v_holder, p_outcome || jsonb_build_object('error', v_error)) then
    return false;
  end if;
  update public.shell_files f set updated_at = mill.now(), version = f.version + 1,
    processing_error = mill.noted_errors(f.processing_error, j.error_log, j.run_at)
  from mill.job_live j
  where j.id = p_job and j.state in ('retrying', 'deferred') and f.id = v_file.id;
  return true;
end
$$;

comment on function public.fail_document_stage(uuid, text, int, jsonb) is
  'Returns the job of a stage to its queue and notes why with its document; false when the lease is lost.';
revoke execute on function public.fail_document_stage(uuid, text, int, jsonb) from public, anon, authenticated;
grant execute on function public.fail_document_stage(uuid, text, int, jsonb) to service_role;
