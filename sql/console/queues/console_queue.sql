-- Tenants of a fair queue, or groups of one whose groups are capped: those that were served least first, because they go next.
create or replace function mill.console_tenants(p_queue mill.queue) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  v_most constant int := 50;
begin
  return (
    with running as materialized (
      select j.lane, count(*)::int as jobs from (select o.lane from mill.job_live o where o.slot = p_queue.queue limit 10000) j group by j.lane
    ),
    lane as materialized (
      select l.tenant, l.lane, l.group_key, coalesce(r.jobs, 0) as running,
        (select count(*) from (select from mill.job_live j where j.queue = p_queue.queue and j.lane = l.lane and not j.waits and j.state = 'pending' limit 500) j)::int as pending
      from (
        select o.* from mill.lane o join mill.tenant t on t.queue = o.queue and t.tenant = o.tenant
        where o.queue = p_queue.queue and (not o.idle or o.lane in (select r.lane from running r)) order by t.served, o.lane limit 500) l
      left join running r on r.lane = l.lane
    ),
    tenant as (
      select t.tenant, greatest(t.served, coalesce(c.served, 0)) as served, sum(l.pending) as pending, sum(l.running) as running, bool_or(l.pending >= 500) as more,
        jsonb_agg(jsonb_build_object('group', l.group_key, 'pending', l.pending, 'running', l.running) order by l.pending desc) filter (where l.group_key is not null) as groups
      from lane l
      join mill.tenant t on t.queue = p_queue.queue and t.tenant = l.tenant
      left join mill.virtual_clock c on c.queue = p_queue.queue
      group by t.tenant, t.served, c.served
      having sum(l.pending) + sum(l.running) > 0
    )
    select jsonb_build_object('fair', p_queue.dequeue = 'fair', 'more', (select count(*) from tenant) > v_most,
      'rows', (select coalesce(jsonb_agg(jsonb_build_object('tenant', t.tenant, 'virtual_time', t.served, 'behind', t.served - t.least, 'pending', t.pending, 'pending_more', t.more,
          'running', t.running, 'groups', coalesce(t.groups, '[]')) order by t.served, t.tenant), '[]')
        from (select *, min(served) over () as least from tenant order by served, tenant limit v_most) t)));
end
$$;

comment on function mill.console_tenants(mill.queue) is 'Who takes turns in a queue: virtual time, pending and running jobs of each tenant.';
revoke execute on function mill.console_tenants(mill.queue) from public;

create or replace function mill.console_limit(p_queue mill.queue, p_now timestamptz) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_limit mill.api_rate_limits;
  v_left record;
  v_wait interval;
begin
  if p_queue.provider is null then
    return null;
  end if;
  v_limit := mill.api_limit(p_queue.provider, p_queue.endpoint);
  v_wait := mill.limit_wait(p_queue.provider, p_queue.endpoint);
  select * into v_left from mill.api_capacity_left(v_limit, p_now);
  return jsonb_build_object('provider', v_limit.provider_name, 'endpoint', v_limit.api_endpoint, 'status', v_limit.status, 'blocked_until', v_limit.blocked_until,
    'room_at', case when v_wait > interval '0' then p_now + v_wait end, 'pressure', round(v_left.pressure, 3), 'refusals', v_limit.provider_refusals,
    'measures', (
      select coalesce(jsonb_agg(jsonb_build_object('name', m.name, 'limit', m.most, 'used', m.used, 'free', greatest(0, m.most - m.used)) order by m.place), '[]')
      from (
        select 1 as place, 'requests_per_minute' as name, v_limit.requests_per_minute::bigint as most, u.requests as used from mill.api_used(v_limit, p_now, interval '1 minute') u
        union all select 2, 'tokens_per_minute', v_limit.tokens_per_minute, u.tokens from mill.api_used(v_limit, p_now, interval '1 minute') u
        union all select 3, 'requests_per_hour', v_limit.requests_per_hour, u.requests from mill.api_used(v_limit, p_now, interval '1 hour') u
        union all select 4, 'tokens_per_hour', v_limit.tokens_per_hour, u.tokens from mill.api_used(v_limit, p_now, interval '1 hour') u
        union all select 5, 'concurrent_requests', v_limit.concurrent_requests, v_limit.concurrent_requests - v_left.slots) m
      where m.most is not null));
end
$$;

comment on function mill.console_limit(mill.queue, timestamptz) is 'The limit of a queue''s provider: what is used and free of each measure, and when there is room again; null without a provider.';
revoke execute on function mill.console_limit(mill.queue, timestamptz) from public;

create or replace function mill.api_used(p_limit mill.api_rate_limits, p_now timestamptz, p_window interval) returns table (requests bigint, tokens bigint)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(sum(a.requests), 0)::bigint, greatest(0, coalesce(sum(a.tokens), 0))::bigint
  from (
    select u.requests, u.tokens from mill.api_use u where u.provider = p_limit.provider_name and u.endpoint = p_limit.api_endpoint and u.at > p_now - p_window
    union all
    select u.requests, u.tokens from mill.api_use_minute u
    where p_window > interval '1 minute' and u.provider = p_limit.provider_name and u.endpoint = p_limit.api_endpoint and u.minute > p_now - p_window - interval '1 minute') a
$$;

comment on function mill.api_used(mill.api_rate_limits, timestamptz, interval) is 'How many requests and tokens of a limit were used within a time, reservations included.';
revoke execute on function mill.api_used(mill.api_rate_limits, timestamptz, interval) from public;

-- Who has set an option: the part that brought the queue, register_jobs, an operator since, or nobody.
create or replace function mill.console_options(p_queue mill.queue) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_agg(jsonb_build_object('name', o.name, 'value', v.value, 'default', d.value, 'type', o.type, 'min', o.min, 'max', o.max, 'choices', o.choices, 'nullable', o.nullable,
    'unit', o.unit, 'group', o."group", 'sentence', o.sentence, 'needs', 'admin',
    'set_by', case
      when p_queue.registered ? o.name and p_queue.registered -> o.name is distinct from v.value then 'operator'
      when v.value = d.value then 'default'
      when p_queue.registered ? o.name then 'registered'
      when p_queue.part is not null then 'part'
      else 'operator' end) order by o.place)
  from mill.queue_options() o
  cross join lateral (select to_jsonb(p_queue) -> o.name as value) v
  cross join lateral (select coalesce((
    select case when o.type in ('integer', 'number') then to_jsonb(pg_get_expr(x.adbin, x.adrelid)::numeric) else to_jsonb(substring(pg_get_expr(x.adbin, x.adrelid) from '''(.*)''')) end
    from pg_attrdef x join pg_attribute a on a.attrelid = x.adrelid and a.attnum = x.adnum
    where x.adrelid = 'mill.queue'::regclass and a.attname = o.name), 'null') as value) d
$$;

comment on function mill.console_options(mill.queue) is 'The options of a queue with value, default, bounds, what each does and who has set it.';
revoke execute on function mill.console_options(mill.queue) from public;

create or replace function public.console_queue(p_queue text) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console('viewer');
  v_now timestamptz := mill.now();
  v_queue mill.queue;
  v_state jsonb;
begin
  select q.* into v_queue from mill.queue q where q.queue = p_queue;
  if not found then
    raise exception 'unknown queue "%"', left(p_queue, 64) using errcode = 'GM007', hint = 'console_start lists the queues.';
  end if;
  v_state := mill.console_queue_state(v_queue, v_now) || (
    select jsonb_build_object('hour', h.hour, 'sparkline', h.sparkline) from mill.console_hours(v_now, p_queue) h);
  return jsonb_build_object('queue', v_queue.queue, 'description', v_queue.description, 'served_by', v_queue.served_by, 'function', v_queue.function, 'url', v_queue.url,
    'part', v_queue.part, 'paused', v_queue.paused, 'draining', v_queue.draining, 'state', v_state, 'options', mill.console_options(v_queue),
    'kinds', (select coalesce(jsonb_agg(jsonb_build_object('kind', k.kind, 'description', k.description, 'sensitive', mill.is_sensitive(k.kind), 'says', k.sensitive, 'max_attempts', k.max_attempts,
        'first_asked_at', k.first_asked_at, 'has_schema', k.schema is not null) order by k.kind), '[]')
      from (select * from mill.kind o where o.queue = p_queue order by o.kind limit 200) k),
    'tenants', mill.console_tenants(v_queue), 'limit', mill.console_limit(v_queue, v_now), 'breaker', v_state -> 'breaker',
    'breaker_changes', (select coalesce(jsonb_agg(jsonb_build_object('at', c.at, 'state', c.state, 'reason', mill.cut_text(c.reason, 500)) order by c.at desc), '[]')
      from (select * from mill.breaker_change o where o.target = v_state #>> '{breaker,target}' order by o.at desc limit 50) c),
    'invocations', (select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'reason', i.reason, 'asked_at', i.asked_at, 'begun_at', i.begun_at, 'ended_at', i.ended_at,
        'claimed', i.claimed, 'failure', mill.cut_text(i.failure, 500)) order by i.asked_at desc), '[]')
      from (select * from (select * from mill.invocation n order by n.asked_at desc limit 5000) o where o.queue = p_queue order by o.asked_at desc limit 20) i),
    'claimants', (select coalesce(jsonb_agg(jsonb_build_object('worker', c.worker, 'claimed_at', c.claimed_at) order by c.claimed_at desc), '[]')
      from (select * from mill.claimant o where o.queue = p_queue order by o.claimed_at desc limit 50) c));
end
$$;

comment on function public.console_queue(text) is 'All about one queue: how it stands, its options, who takes turns in it, its provider''s limit, its breaker. For viewers of the console.';
revoke execute on function public.console_queue(text) from public, anon;
grant execute on function public.console_queue(text) to authenticated, service_role;
