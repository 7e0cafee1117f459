-- For callers that hold no job of a limited queue; those draw on the limit when they are claimed. Exact under any
-- concurrency: the limit's lock is held until this commits.
create or replace function public.acquire_api_capacity(
  p_provider_name text, p_api_endpoint text, p_estimated_tokens bigint default 1000)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_limit public.api_rate_limits;
  v_tokens bigint := greatest(coalesce(p_estimated_tokens, 1000), 0);
  v_room record;
  v_now timestamptz;
  v_reason text;
  v_lease mill.api_lease;
begin
  -- Looked at twice: a caller that is refused anyway does not stand in line for the lock.
  for v_look in 1 .. 2 loop
    if v_look = 2 then
      perform mill.lock_api(p_provider_name, p_api_endpoint, true);
    end if;
    v_limit := mill.api_limit(p_provider_name, p_api_endpoint);
    v_now := mill.now(); -- not before: time passes while waiting for the lock
    if v_tokens > least(v_limit.tokens_per_minute, v_limit.tokens_per_hour) then
      raise exception '% tokens are more than % / % ever admits at once', v_tokens, p_provider_name, p_api_endpoint
        using errcode = 'GM021', hint = 'Split the request, or raise the limit.';
    end if;

    select r.* into v_room from mill.api_room(v_limit, v_now) r;
    v_reason := case
      when v_limit.status <> 'active' then v_limit.status
      when v_limit.blocked_until > v_now then 'blocked'
      when v_room.requests < 1 then 'requests'
      when v_room.tokens < v_tokens then 'tokens'
      when v_room.slots < 1 then 'concurrency'
    end;
    exit when v_reason is not null;
  end loop;
  if v_reason is not null then
    return jsonb_build_object('granted', false, 'reason', v_reason, 'retry_after_seconds', case v_reason
      when 'blocked' then ceil(extract(epoch from v_limit.blocked_until - v_now))
      when 'concurrency' then 1
      when 'requests' then greatest(ceil(extract(epoch from v_room.wait)), 1)
      when 'tokens' then greatest(ceil(extract(epoch from v_room.wait)), 1)
      else v_limit.backpressure_delay_seconds end);
  end if;

  insert into mill.api_use (at, tokens, requests, provider, endpoint) values (v_now, v_tokens, 1, p_provider_name, p_api_endpoint);
  insert into mill.api_lease (id, provider, endpoint, tokens, taken_at, expires_at)
  values (mill.uuid7(), p_provider_name, p_api_endpoint, v_tokens, v_now, v_now + make_interval(secs => v_limit.lease_seconds))
  returning * into v_lease;
  return jsonb_build_object('granted', true, 'lease_id', v_lease.id, 'granted_at', v_now, 'expires_at', v_lease.expires_at,
    'retry_after_seconds', 0, 'backpressure', v_room.pressure >= v_limit.backpressure_threshold,
    'delay_seconds', case when v_room.pressure >= v_limit.backpressure_threshold then v_limit.backpressure_delay_seconds else 0 end);
end
$$;

comment on function public.acquire_api_capacity(text, text, bigint) is
  'Reserves one call of a provider with its estimated tokens: {granted, lease_id, …} or {granted: false, reason, retry_after_seconds}.';
revoke execute on function public.acquire_api_capacity(text, text, bigint) from public, anon, authenticated;
grant execute on function public.acquire_api_capacity(text, text, bigint) to service_role;
