-- One call gives a processor its batch and all it needs: {jobs, types}. The quota is asked with the batch counted in: one
-- that would cross it is given back whole, attempts and all. Claims of refresh queues take turns for that, or two of
-- them would each see room for itself.
create or replace function mill.claim_refresh(p_worker text, p_queue text, p_max int, p_invocation uuid) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_is_paused boolean;
  v_jobs jsonb;
begin
  perform pg_advisory_xact_lock(702235, 0);
  select exists (
    select from mill.queue q join mill.provider_pause p on p.provider = q.provider and p.until > mill.now()
    where q.queue = p_queue) into v_is_paused;
  begin
    v_jobs := public.claim_jobs(p_worker, array[p_queue], case when v_is_paused then 0 else p_max end, null, p_invocation);
    if v_jobs <> '[]' and mill.quota_used(mill.setting('refresh.quota_days', '30')::int) + mill.quota_in_flight()
      > mill.quota_limit(null, null)
    then
      raise exception 'the batch would cross the quota' using errcode = 'GM039';
    end if;
  exception when sqlstate 'GM039' then
    v_jobs := public.claim_jobs(p_worker, array[p_queue], 0, null, p_invocation); -- the invocation has ended
    if mill.every_minute('quota_event') then
      insert into mill.event (at, code, detail) values (mill.now(), 'quota_exceeded', jsonb_build_object('by', 'claim'));
    end if;
  end;
  return v_jobs;
end
$$;

comment on function mill.claim_refresh(text, text, int, uuid) is 'Leases a batch of refreshes to a worker; none while the provider is paused or the batch would cross the quota.';
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
