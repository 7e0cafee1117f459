-- The answer that was given under this key, or null: then the caller of this function holds the key until its transaction ends.
--
-- The key is held by an advisory lock, not by a row: one INSERT at the end instead of an INSERT and an UPDATE. It is the first lock of
-- the transaction and the only one of its class, so two calls cannot wait for each other. Two keys with the same hash only wait.
-- A second call under the same key waits here for the first one to end, for 5 seconds at the most: the functions give up after 10.
create or replace function mill.kept_answer(p_caller text, p_key text, p_request bytea) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
set lock_timeout = '5s'
as $$
declare
  v_since timestamptz := mill.now() - interval '24 hours';
  v_kept mill.idempotency_key;
begin
  -- Printable ASCII, as the header may have it.
  if coalesce(p_key, '') !~ '^[ -~]{1,255}$' then
    raise exception 'an idempotency key has 1 to 255 printable ASCII characters' using errcode = 'GM004';
  end if;
  begin
    perform pg_advisory_xact_lock(702261, hashtext(p_caller || ' ' || p_key));
  exception when lock_not_available then
    raise exception 'the first call with this idempotency key is still running' using errcode = 'GM081', detail = '{"retry_after": 2}';
  end;

  select k.* into v_kept from mill.idempotency_key k where k.caller = p_caller and k.key = p_key and k.created_at > v_since;
  if found and v_kept.request <> p_request then
    raise exception 'the idempotency key was used for another request' using errcode = 'GM080', hint = 'Take a new key for each request.';
  end if;
  if not found then
    perform mill.refuse_more_keys(p_caller, v_since);
  end if;
  return v_kept.answer;
end
$$;

comment on function mill.kept_answer(text, text, bytea) is
  'Takes an idempotency key until the end of the transaction; answers what was answered under it, or null. Raises GM080 for another request, GM081 when the first one does not end, GM082 for a caller with too many keys.';
revoke execute on function mill.kept_answer(text, text, bytea) from public;
