-- Reserves one call of a provider for a caller that holds no job of a limited queue; such jobs draw on the limit when they are
-- claimed. Exact under any concurrency: the limit's lock is held until this commits.
--
-- A refusal is on record in the limit's row. That is another number than the provider's own refusals: see report_api_rate_limit.
-- Lock order: the limit's lock, then its row.
create or replace function mill.grant_api_capacity(p_provider text, p_endpoint text, p_tokens bigint, p_is_compat boolean) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_limit mill.api_rate_limits;
  v_capacity record;
  v_now timestamptz;
  v_reason text;
  v_lease mill.api_lease;
begin
  -- Looked at twice: a caller that is refused anyway does not stand in line for the lock.
  for v_look in 1 .. 2 loop
    if v_look = 2 then
      perform mill.lock_api(p_provider, p_endpoint, true);
    end if;
    v_limit := mill.api_limit(p_provider, p_endpoint);
    v_now := mill.now(); -- not before: time passes while waiting for the lock
    select r.* into v_capacity from mill.api_capacity_left(v_limit, v_now) r;
    v_reason := case
      when v_limit.status <> 'active' then v_limit.status
      when v_limit.blocked_until > v_now then 'blocked'
      when v_capacity.requests < 1 then 'requests'
      when v_capacity.tokens < p_tokens then 'tokens'
      when v_capacity.slots < 1 then 'concurrency'
    end;
    exit when v_reason is not null;
  end loop;
  if v_reason is not null then
    update mill.api_rate_limits l set
      rate_limit_violations = l.rate_limit_violations + 1, last_rate_limit_hit = greatest(l.last_rate_limit_hit, v_now)
    where l.provider_name = p_provider and l.api_endpoint = p_endpoint;
    return jsonb_build_object('granted', false, 'reason', v_reason, 'retry_after_seconds', case v_reason
      when 'blocked' then ceil(extract(epoch from v_limit.blocked_until - v_now))
      when 'concurrency' then 1
      when 'requests' then greatest(ceil(extract(epoch from v_capacity.wait)), 1)
      when 'tokens' then greatest(ceil(extract(epoch from v_capacity.wait)), 1)
      else v_limit.backpressure_delay_seconds end);
  end if;

  insert into mill.api_use (at, tokens, requests, provider, endpoint) values (v_now, p_tokens, 1, p_provider, p_endpoint);
  insert into mill.api_lease (id, provider, endpoint, tokens, taken_at, expires_at, is_compat)
  values (mill.uuid7(), p_provider, p_endpoint, p_tokens, v_now, v_now + make_interval(secs => v_limit.lease_seconds), p_is_compat)
  returning * into v_lease;
  return jsonb_build_object('granted', true, 'lease_id', v_lease.id, 'granted_at', v_now, 'expires_at', v_lease.expires_at,
    'retry_after_seconds', 0, 'backpressure', v_capacity.pressure >= v_limit.backpressure_threshold,
    'delay_seconds', case when v_capacity.pressure >= v_limit.backpressure_threshold then v_limit.backpressure_delay_seconds else 0 end);
end
$$;

comment on function mill.grant_api_capacity(text, text, bigint, boolean) is
  'Reserves one call of a provider: {granted, lease_id, …} or {granted: false, reason, retry_after_seconds}. For reserve_api_capacity and acquire_api_capacity.';
revoke execute on function mill.grant_api_capacity(text, text, bigint, boolean) from public;
