create or replace function mill.backoff(p_attempt int, p_base numeric, p_cap numeric) returns interval
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  -- Full jitter: uniform in (0, min(cap, base * 2^(attempt-1))]. The exponent is bounded before power() sees it.
  select make_interval(secs => (greatest(random(), 0.001)
    * least(p_cap, p_base * power(2::numeric, least(greatest(p_attempt, 1) - 1, 30))))::double precision)
$$;

comment on function mill.backoff(int, numeric, numeric) is 'How long a failed attempt waits: exponential with full jitter.';
revoke execute on function mill.backoff(int, numeric, numeric) from public;
