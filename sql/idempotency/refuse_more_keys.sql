-- A bound per user, so that nobody fills the table. Counting reads the user's own keys only and stops at the bound; calls at the same
-- moment may pass it by their number. The service is not bounded: whoever holds its key can write anything.
create or replace function mill.refuse_more_keys(p_caller text, p_since timestamptz) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_most int;
  v_oldest timestamptz;
begin
  if p_caller = 'service' then
    return;
  end if;
  v_most := mill.setting('idempotency.max_keys_per_user', '5000')::int;
  if (select count(*) from (
    select from mill.idempotency_key k where k.caller = p_caller and k.created_at > p_since limit v_most) k) < v_most
  then
    return;
  end if;
  select min(k.created_at) into v_oldest from mill.idempotency_key k where k.caller = p_caller and k.created_at > p_since;
  raise exception 'more than % idempotency keys in 24 hours', v_most using errcode = 'GM082',
    detail = jsonb_build_object('limit', v_most, 'retry_after', greatest(1, ceil(extract(epoch from v_oldest - p_since))::int))::text,
    hint = 'Try again when the oldest key has expired, or call without a key.';
end
$$;

comment on function mill.refuse_more_keys(text, timestamptz) is 'Raises GM082 for a user who has as many idempotency keys as one may have.';
revoke execute on function mill.refuse_more_keys(text, timestamptz) from public;
