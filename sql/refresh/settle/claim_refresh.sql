create or replace function mill.lock_refresh_claims() returns void
language sql
set search_path = pg_catalog, pg_temp
as $$ select pg_advisory_xact_lock(702235, 0) $$;

comment on function mill.lock_refresh_claims() is 'Claims of refresh queues take turns until their transactions end.';
revoke execute on function mill.lock_refresh_claims() from public;

-- One call gives a processor its batch and all it needs: {jobs, types}. The quota is asked with the batch counted in: one
-- that would cross it is given back whole, attempts and all. Claims of refresh queues take turns for that, or two of
-- them would each see room for itself.
--
-- A provider counts calls when they come, and a call may start up to 12 s after its claim (LAST_START in
-- shared/refresh/src/batch.rs). So the grant stands at that moment, until mill.settle_calls moves it to when the calls had
-- been made. Counted from the claim alone, a slow batch and a quick one after it could come to more than the limit in one minute.
create or replace function mill.claim_refresh(p_worker text, p_queue text, p_max int, p_invocation uuid) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_jobs jsonb;
begin
  perform mill.lock_refresh_claims();
  begin
    v_jobs := public.claim_jobs(p_worker, array[p_queue], p_max, null, p_invocation);
    if v_jobs <> '[]' and mill.quota_used(mill.setting('refresh.quota_days', '30')::int) + mill.quota_in_flight()
      > mill.quota_limit(null, null)
    then
      raise exception 'the batch would cross the quota' using errcode = 'GM039';
    end if;
    -- The grant is the row that this very transaction wrote, as it wrote the claimed jobs.
    update mill.api_use u set at = j.started_at + interval '12 seconds'
    from mill.job_live j
    where j.id = (v_jobs #>> '{0,id}')::uuid and u.xmin = j.xmin;
  exception when sqlstate 'GM039' then
    v_jobs := public.claim_jobs(p_worker, array[p_queue], 0, null, p_invocation); -- the invocation has ended
    if mill.every_minute('quota_event') then
      insert into mill.event (at, code, detail) values (mill.now(), 'quota_exceeded', jsonb_build_object('by', 'claim'));
    end if;
  end;
  return v_jobs;
end
$$;

comment on function mill.claim_refresh(text, text, int, uuid) is 'Leases a batch of refreshes to a worker; none while the provider has no room or the batch would cross the quota.';
revoke execute on function mill.claim_refresh(text, text, int, uuid) from public;

create or replace function public.claim_refresh(p_worker text, p_queue text default 'refresh', p_max int default 50, p_invocation uuid default null) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_jobs jsonb;
begin
  perform mill.require_primary();
  v_jobs := mill.claim_refresh(p_worker, p_queue, least(p_max, 50), p_invocation);
  return jsonb_build_object(
    'jobs', v_jobs,
    'types', (
      select coalesce(jsonb_object_agg(r.data_type, jsonb_build_object(
        'provider', r.provider, 'endpoint_template', r.endpoint_template, 'response_schema', r.response_schema, 'column_map', r.column_map,
        'symbol_column', r.symbol_column, 'source_timestamp_column', r.source_timestamp_column)), '{}')
      from public.data_type_registry r
      where r.is_enabled and r.data_type in (select j #>> '{payload,data_type}' from jsonb_array_elements(v_jobs) j)));
end
$$;

comment on function public.claim_refresh(text, text, int, uuid) is 'Leases up to 50 refreshes to a processor, with the registry rows they need.';
revoke execute on function public.claim_refresh(text, text, int, uuid) from public, anon, authenticated;
grant execute on function public.claim_refresh(text, text, int, uuid) to service_role;
