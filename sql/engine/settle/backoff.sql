create or replace function mill.backoff(p_attempt int, p_base numeric, p_cap numeric, p_jitter numeric default null) returns interval
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  -- The delay is min(cap, base * 2^(attempt-1)). Full jitter is uniform in (0, delay]; a share is uniform in delay ± share.
  -- The exponent is bounded before power() sees it.
  select make_interval(secs => (least(p_cap, p_base * power(2::numeric, least(greatest(p_attempt, 1) - 1, 30)))
    * case when p_jitter is null then greatest(random(), 0.001) else 1 + p_jitter * (2 * random() - 1) end)::double precision)
$$;

comment on function mill.backoff(int, numeric, numeric, numeric) is 'How long a failed attempt waits: exponential, with full jitter or within a share of the delay.';
revoke execute on function mill.backoff(int, numeric, numeric, numeric) from public;
