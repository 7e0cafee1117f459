-- Ends a batch in one statement. Each outcome is {id, attempt, outcome, result, error, delay_seconds}:
--
--   completed   to job_done
--   failed      consumes the attempt: retrying after its backoff, or to job_dead at max_attempts
--   snoozed     back to deferred for delay_seconds, the attempt given back
--   released    back to pending at once, the attempt given back
--   dead        to job_dead: no retry can cure it
--
-- Fencing: only a row that is processing, under this worker, in this attempt is touched. For any other the
-- answer is 'lost' and nothing changes. Lock order: by id, as heartbeat and reclaim do.
create or replace function mill.settle(p_worker text, p_outcomes jsonb)
returns table (id uuid, status text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
begin
  if exists (
    select from jsonb_to_recordset(p_outcomes) as o(id uuid, attempt int, outcome text)
    where o.id is null or o.attempt is null
      or coalesce(o.outcome, '') not in ('completed', 'failed', 'snoozed', 'released', 'dead'))
  then
    raise exception 'every outcome needs id, attempt and one of completed, failed, snoozed, released, dead'
      using errcode = 'GM005';
  end if;

  return query
  with asked as materialized (
    select distinct on (o.id) o.*
    from jsonb_to_recordset(p_outcomes)
      as o(id uuid, attempt int, outcome text, result jsonb, error jsonb, delay_seconds numeric)
    order by o.id
  ),
  held as materialized (
    select j.id,
      case when a.outcome = 'failed' and j.attempt >= j.max_attempts then 'dead' else a.outcome end as outcome,
      a.result,
      case when a.error is not null then
        mill.stamped_error(a.error, p_worker, j.attempt, v_now) end as error,
      a.delay_seconds
    from mill.job_live j join asked a on a.id = j.id and a.attempt = j.attempt
    where j.state = 'processing' and j.worker = p_worker
    order by j.id
    for update of j
  ),
  ended as (
    delete from mill.job_live j using held h
    where j.id = h.id and h.outcome in ('completed', 'dead')
    returning j.*, h.outcome, h.result as given_result, h.error as given_error
  ),
  kept as (
    insert into mill.job (
      id, queue, kind, name, payload, state, priority, run_at, attempt, max_attempts, lease_losses, worker,
      dedupe_key, group_key, owner, parent, progress, result, error, error_log, correlation_id,
      created_at, started_at, finished_at)
    select
      e.id, e.queue, e.kind, e.name, e.payload,
      case e.outcome when 'completed' then 'completed' else 'failed' end,
      e.priority, e.run_at, e.attempt, e.max_attempts, e.lease_losses, e.worker,
      e.dedupe_key, e.group_key, e.owner, e.parent,
      case e.outcome when 'completed' then 100 else e.progress end,
      e.given_result, coalesce(e.given_error, e.error),
      mill.append_error(e.error_log, e.given_error), e.correlation_id,
      e.created_at, e.started_at, v_now
    from ended e
  ),
  returned as (
    update mill.job_live j set
      state = case h.outcome when 'failed' then 'retrying' when 'snoozed' then 'deferred' else 'pending' end,
      attempt = case h.outcome when 'failed' then j.attempt else j.attempt - 1 end,
      run_at = case h.outcome
        when 'failed' then v_now + coalesce(
          make_interval(secs => h.delay_seconds::double precision),
          mill.backoff(j.attempt, q.backoff_base_seconds, q.backoff_cap_seconds))
        when 'snoozed' then v_now + make_interval(secs => coalesce(h.delay_seconds, 30)::double precision)
        else j.run_at end,
      worker = null,
      lease_until = null,
      error = coalesce(h.error, j.error),
      error_log = mill.append_error(j.error_log, h.error)
    from held h, mill.queue q
    where j.id = h.id and q.queue = j.queue and h.outcome in ('failed', 'snoozed', 'released')
    returning j.id
  )
  select a.id, case when h.id is null then 'lost' else 'accepted' end
  from asked a left join held h on h.id = a.id;
end
$$;

comment on function mill.settle(text, jsonb) is 'Settles a batch: accepted or lost for each outcome, and a lost one changes nothing.';
revoke execute on function mill.settle(text, jsonb) from public;
