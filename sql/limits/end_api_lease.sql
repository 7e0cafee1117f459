-- Frees the slot and settles what was really used against the window in which it was taken. The caller holds the lease's row.
create or replace function mill.end_api_lease(p_lease mill.api_lease, p_actual_tokens bigint) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  update mill.api_lease l set ended_at = coalesce(l.ended_at, mill.now()), is_settled = true where l.id = p_lease.id;
  insert into mill.api_use (at, tokens, requests, provider, endpoint)
  select p_lease.taken_at, greatest(p_actual_tokens, 0) - p_lease.tokens, 0, p_lease.provider, p_lease.endpoint
  where p_actual_tokens is not null and greatest(p_actual_tokens, 0) <> p_lease.tokens;
$$;

comment on function mill.end_api_lease(mill.api_lease, bigint) is 'Ends a capacity lease and settles its tokens; null keeps the estimate.';
revoke execute on function mill.end_api_lease(mill.api_lease, bigint) from public;
