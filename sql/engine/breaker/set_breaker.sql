create or replace function mill.set_breaker(p_target text, p_state text, p_reason text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_cooldown numeric := mill.setting('breaker.cooldown_seconds', '30')::numeric;
begin
  insert into mill.breaker as b (target, state, reason, changed_at, retry_at, opened_in_a_row)
  values (p_target, p_state, p_reason, v_now,
    case when p_state = 'open' then v_now + make_interval(secs => v_cooldown::double precision) end, (p_state = 'open')::int)
  on conflict (target) do update set
    state = p_state,
    reason = p_reason,
    changed_at = v_now,
    probe = null,
    opened_in_a_row = case p_state when 'open' then b.opened_in_a_row + 1 when 'closed' then 0 else b.opened_in_a_row end,
    retry_at = case when p_state = 'open' then
      v_now + make_interval(secs => least(v_cooldown * 2 ^ least(b.opened_in_a_row, 10), greatest(v_cooldown, 600))::double precision) end;
  perform mill.call_hooks('operated', jsonb_build_object('table', 'breaker', 'record', p_target, 'action', p_state, 'reason', p_reason));
  insert into mill.breaker_change (target, at, state, reason) values (p_target, v_now, p_state, p_reason);
end
$$;

comment on function mill.set_breaker(text, text, text) is 'Changes a breaker and writes its history. An operator may call it too.';
revoke execute on function mill.set_breaker(text, text, text) from public;
