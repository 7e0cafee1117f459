-- Locks what is held, in the order of ids, before anything is changed; then ends some rows and returns others to
-- the line, in whatever order. No index has state = 'processing' in its predicate, so the only way to a row is its
-- id: by way of the leases, 500 jobs once cost 250,000 visits. What was held is carried from one to the next as an object, by id.
--
-- A caller that tries again while its first call is under way waits for it at the first job, before it looks at the others. If it looked
-- first, it would find each of them changed, lock it, and only then see that it is lost: and claims may have those that were returned.
create or replace function mill.settle_mixed(p_worker text, p_outcomes jsonb, p_now timestamptz) returns uuid[]
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_held jsonb;
begin
  perform pg_current_xact_id(); -- before floors are read: see mill.raise_floors
  perform from mill.job_live j
  where j.id = (select (o ->> 'id')::uuid from jsonb_array_elements(p_outcomes) o order by 1 limit 1)
    and j.worker = p_worker and j.state = 'processing'
  for update;
  with asked as materialized (
    select distinct on (o.id) o.*
    from jsonb_to_recordset(p_outcomes)
      as o(id uuid, attempt int, outcome text, result jsonb, error jsonb, delay_seconds numeric)
    order by o.id
  ),
  held as materialized (
    select a.*, j.queue, j.kind, j.bytes, nullif(mill.tenant_of(j.owner, j.group_key), '') as tenant, (extract(epoch from p_now - j.started_at) * 1000)::bigint as ms,
      case
        when j.cancel_requested then 'cancelled'
        when a.outcome = 'failed' and (j.attempt >= j.max_attempts or a.error -> 'retryable' = 'false') then 'dead'
        else a.outcome
      end as verdict,
      a.outcome = 'dead' or a.outcome = 'failed' and a.error -> 'retryable' = 'false' as permanent
    from asked a
    cross join lateral (
      select j.queue, j.kind, j.started_at, j.attempt, j.max_attempts, j.cancel_requested, j.owner, j.group_key,
        pg_column_size(j.payload) as bytes
      from mill.job_live j
      where j.id = a.id and j.attempt = a.attempt and j.worker = p_worker and j.state = 'processing'
      for update) j
  ),
  counted as (
    insert into mill.stat_batch (at, jobs, bucket, total_ms, bytes, queue, kind, outcome, tenant, permanent)
    select p_now, count(*), c.bucket, sum(h.ms), sum(h.bytes), h.queue, h.kind, h.verdict, c.tenant, c.permanent
    from held h
    cross join lateral (
      select mill.duration_bucket(h.ms) as bucket, case when h.verdict in ('failed', 'dead') then h.tenant end as tenant,
        h.verdict = 'dead' and coalesce(h.permanent, false) as permanent) c
    group by h.queue, h.kind, h.verdict, c.bucket, c.tenant, c.permanent
  )
  select coalesce(jsonb_object_agg(h.id, jsonb_build_object(
    'verdict', h.verdict, 'result', h.result, 'delay', h.delay_seconds,
    'error', case when h.error is not null then mill.stamped_error(h.error, p_worker, h.attempt, p_now) end)), '{}')
  into v_held
  from held h;

  perform mill.settle_ended(v_held, p_now);
  if v_held @? '$.*.verdict ? (@ == "dead")' then
    perform mill.call_acted_hooks(array(select h.key::uuid from jsonb_each(v_held) h where h.value ->> 'verdict' = 'dead'), 'dead', null);
  end if;
  perform mill.settle_returned(v_held, p_now);
  return array(
    select distinct o.id from jsonb_to_recordset(p_outcomes) as o(id uuid)
    where coalesce(v_held -> o.id::text ->> 'verdict', 'cancelled') = 'cancelled');
end
$$;

comment on function mill.settle_mixed(text, jsonb, timestamptz) is 'Settles a batch of any outcomes; says which of it were lost. For mill.settle alone.';
revoke execute on function mill.settle_mixed(text, jsonb, timestamptz) from public;
