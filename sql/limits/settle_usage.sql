-- An outcome may say what its calls really used: {"usage": {"requests": 3, "tokens": 812}}. What was reserved is
-- corrected in the window in which the job was claimed; {"requests": 0, "tokens": 0} gives everything back. Believed only
-- from the worker that holds the job, and once: the row is locked, in the order of ids, before it is settled.
create or replace function mill.settle_usage(p_worker text, p_outcomes jsonb) returns void
language sql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
  with said as materialized (
    select distinct on (o.id) o.id, o.attempt,
      least(greatest((o.usage ->> 'requests')::numeric, 0), 1000000)::int as requests,
      least(greatest((o.usage ->> 'tokens')::numeric, 0), 1000000000)::bigint as tokens
    from jsonb_to_recordset(p_outcomes) as o(id uuid, attempt int, usage jsonb)
    where jsonb_typeof(o.usage) = 'object'
    order by o.id
  ),
  used as (
    select j.queue, j.started_at, s.requests, s.tokens, mill.estimated_tokens(j.payload) as estimated
    from said s
    cross join lateral (
      select j.queue, j.started_at, j.payload from mill.job_live j
      where j.id = s.id and j.attempt = s.attempt and j.worker = p_worker and j.state = 'processing'
      for update) j
  )
  insert into mill.api_use (at, tokens, requests, provider, endpoint)
  select u.started_at,
    sum(coalesce(u.tokens - case when l.tokens_per_minute is null and l.tokens_per_hour is null then 0 else u.estimated end, 0)),
    sum(coalesce(u.requests - 1, 0)), l.provider_name, l.api_endpoint
  from used u
  join mill.queue q on q.queue = u.queue
  join mill.api_rate_limits l on l.provider_name = q.provider and l.api_endpoint = q.endpoint
  group by u.started_at, l.provider_name, l.api_endpoint
$$;

comment on function mill.settle_usage(text, jsonb) is 'Settles what jobs of limited queues really used. For mill.settle alone.';
revoke execute on function mill.settle_usage(text, jsonb) from public;
