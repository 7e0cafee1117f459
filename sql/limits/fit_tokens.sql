-- Cuts a list of locked jobs where their tokens no longer fit. In order, and nothing behind the first that does not fit:
-- a large job would otherwise starve behind small ones. One that would never fit is buried with a clear error.
create or replace function mill.fit_tokens(p_queue mill.queue, p_rows tid[], p_room bigint, p_most bigint, out rows tid[], out tokens bigint)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_oversized uuid[];
begin
  with asked as (
    select r.at, r.place, j.id, mill.estimated_tokens(j.payload) as tokens
    from mill.job_live j join unnest(p_rows) with ordinality as r(place, at) on r.place = j.ctid
    where j.ctid = any (p_rows)
  ),
  running as (
    select a.*, sum(a.tokens) filter (where a.tokens <= p_most) over (order by a.at) as total from asked a
  )
  select coalesce(array_agg(r.place order by r.at) filter (where r.tokens <= p_most and r.total <= p_room), '{}'),
    coalesce(max(r.total) filter (where r.tokens <= p_most and r.total <= p_room), 0),
    coalesce(array_agg(r.id) filter (where r.tokens > p_most), '{}')
  into rows, tokens, v_oversized
  from running r;

  if p_queue.dequeue = 'fair' and cardinality(rows) < cardinality(p_rows) then
    perform mill.uncount_served(p_queue.queue, array(select unnest(p_rows) except select unnest(rows)));
  end if;
  if v_oversized <> '{}' then
    update mill.job_live j set error = mill.stamped_error(jsonb_build_object('type', 'over_limit', 'retryable', false,
      'message', format('its tokens are more than %s / %s ever admits at once', p_queue.provider, p_queue.endpoint)),
      null, j.attempt, mill.now())
    where j.id = any (v_oversized);
    perform mill.end_jobs(v_oversized, 'failed', mill.now());
    perform mill.call_acted_hooks(v_oversized, 'dead', 'its tokens never fit the limit');
  end if;
end
$$;

comment on function mill.fit_tokens(mill.queue, tid[], bigint, bigint) is
  'The first of the locked jobs whose estimated tokens fit, and how many tokens that is. For mill.lock_jobs_within_limit alone.';
revoke execute on function mill.fit_tokens(mill.queue, tid[], bigint, bigint) from public;

-- Turns that were counted for jobs which were then not taken. Skips a tenant that is locked, as mill.count_served does.
create or replace function mill.uncount_served(p_queue text, p_rows tid[]) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  with left_over as (
    select mill.tenant_of(j.owner, j.group_key) as tenant, count(*) as jobs
    from mill.job_live j where j.ctid = any (p_rows) group by 1
  ),
  locked as (
    select t.tenant from mill.tenant t
    where t.queue = p_queue and t.tenant in (select o.tenant from left_over o)
    for no key update skip locked
  )
  update mill.tenant t set served = t.served - o.jobs
  from left_over o, locked l
  where t.queue = p_queue and t.tenant = o.tenant and l.tenant = o.tenant
$$;

comment on function mill.uncount_served(text, tid[]) is 'Takes back turns of tenants whose jobs were left. For mill.fit_tokens alone.';
revoke execute on function mill.uncount_served(text, tid[]) from public;
