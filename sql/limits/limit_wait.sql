-- An invocation of a function that would find no room is not worth its request. Slots are left out: they come back
-- when a job settles, which asks for the next invocation by itself.
create or replace function mill.limit_wait(p_provider text, p_endpoint text) returns interval
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce((
    select case
      when l.status <> 'active' then interval '1 minute'
      when l.blocked_until > n.at then l.blocked_until - n.at
      when least(r.requests, r.tokens) <= 0 then greatest(r.wait, interval '0.5 seconds')
      else interval '0' end
    from (select mill.now() as at) n
    cross join lateral mill.api_limit(p_provider, p_endpoint) l
    cross join lateral mill.api_capacity_left(l, n.at) r
    where p_provider is not null), interval '0')
$$;

comment on function mill.limit_wait(text, text) is 'How long a provider''s limit admits no request, at least; zero when it does, or there is none.';
revoke execute on function mill.limit_wait(text, text) from public;

create or replace function mill.seconds_to_capacity() returns double precision
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select extract(epoch from min(w.wait))::double precision
  from mill.queue q cross join lateral (select mill.limit_wait(q.provider, q.endpoint) as wait) w
  where q.served_by = 'function' and q.provider is not null and not q.paused and w.wait > interval '0' and mill.has_pending(q.queue)
$$;

comment on function mill.seconds_to_capacity() is 'Seconds until a provider that jobs wait for has room again; null when none is waited for.';
revoke execute on function mill.seconds_to_capacity() from public;
