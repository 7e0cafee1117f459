-- One batch of a bulk action: the next 200 ids are looked at, those that match are acted upon, and how far it came is written down, all in one
-- transaction. So a job is acted upon once, whatever is killed. True when nothing is left.
--
-- Dead letters that died after the action was asked for are left alone, also those that it has retried itself.
create or replace function mill.run_bulk_batch(p_bulk uuid) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  v_size constant int := 200;
  v_bulk mill.console_bulk;
  v_search jsonb;
  v_found int;
  v_last uuid;
  v_ids uuid[];
  v_counts jsonb;
  v_changed bigint;
begin
  select b.* into v_bulk from mill.console_bulk b where b.id = p_bulk;
  v_search := mill.bulk_search(v_bulk.action, v_bulk.search, v_bulk.error_group, 'operator');
  execute format(
    'with w as materialized (%s)
    select (select count(*) from w)::int as rows, (select w.id from w order by w.id limit 1) as last,
      array(select j.id from w j where %s and j.created_at <= $3 and (j.finished_at is null or j.finished_at <= $3) order by j.id) as ids',
    mill.job_window(v_search), v_search ->> 'condition')
  into v_found, v_last, v_ids using coalesce(v_bulk.reached, mill.walk_from(null)), v_size, v_bulk.created_at;
  if v_ids <> '{}' then
    perform mill.act_as(jsonb_build_object('source', 'console', 'reason', v_bulk.reason, 'email', v_bulk.email, 'actor', v_bulk.actor));
    v_counts := case v_bulk.action
      when 'retry' then (select jsonb_object_agg(r.status, r.jobs) from (select s.status, count(*) as jobs from mill.retry(v_ids) s group by 1) r)
      when 'discard' then (select jsonb_object_agg(r.status, r.jobs) from (select s.status, count(*) as jobs from mill.discard(v_ids) s group by 1) r)
      else (select jsonb_object_agg(r.status, r.jobs) from (select s.status, count(*) as jobs from mill.cancel(v_ids) s group by 1) r) end;
    perform mill.act_as('{}');
  end if;
  v_changed := (select coalesce(sum(c.value::bigint), 0) from jsonb_each_text(v_counts) c where c.key in ('retried', 'discarded', 'cancelled', 'requested'));
  update mill.console_bulk b set
    reached = coalesce(v_last, b.reached), looked = b.looked + v_found, done = b.done + v_changed, refused = b.refused + cardinality(v_ids) - v_changed,
    refusals = b.refusals || (
      select coalesce(jsonb_object_agg(c.key, c.value::bigint + coalesce((b.refusals ->> c.key)::bigint, 0)), '{}')
      from jsonb_each_text(v_counts) c where c.key not in ('retried', 'discarded', 'cancelled', 'requested')),
    updated_at = mill.now()
  where b.id = p_bulk;
  return v_found < v_size;
end
$$;

comment on function mill.run_bulk_batch(uuid) is 'Does the next batch of a bulk action; true when nothing is left. For mill.run_console_bulks alone.';
revoke execute on function mill.run_bulk_batch(uuid) from public;

-- Works on one bulk action until p_until, as the holder of its job: whoever cancels the job, or takes it away, stops this.
create or replace function mill.run_bulk(p_bulk mill.console_bulk, p_until timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_worker constant text := 'pump';
  v_job mill.job_live;
  v_state text;
  v_is_done boolean := false;
  v_error text;
begin
  select j.* into v_job from mill.job_live j where j.id = p_bulk.job;
  if v_job.state = 'processing' and v_job.worker = v_worker and not v_job.cancel_requested then
    v_job := mill.held_job((v_job.id, v_worker, v_job.attempt));
  elsif v_job.id is null then -- it was cancelled, or died, without a word from here
    update mill.console_bulk b set state = 'stopped', job = null, error = 'its job was cancelled', updated_at = mill.now() where b.id = p_bulk.id;
    return;
  else
    return; -- it waits for its turn, or for its next attempt
  end if;

  begin
    while not v_is_done and clock_timestamp() < p_until loop
      v_is_done := mill.run_bulk_batch(p_bulk.id);
    end loop;
  exception when query_canceled then
    raise;
  when others then
    v_error := format('%s (%s)', sqlerrm, sqlstate);
  end;

  if v_error is not null then
    perform mill.settle_held((v_job.id, v_worker, v_job.attempt), jsonb_build_object('outcome', 'failed', 'error', jsonb_build_object('type', 'console_bulk', 'message', v_error)));
    v_state := case when exists (select from mill.job_dead j where j.id = v_job.id) then 'failed' else 'running' end;
    update mill.console_bulk b set state = v_state, error = v_error, updated_at = mill.now(), finished_at = case v_state when 'failed' then mill.now() end where b.id = p_bulk.id;
  elsif v_is_done then
    update mill.console_bulk b set state = 'completed', error = null, finished_at = mill.now(), updated_at = mill.now() where b.id = p_bulk.id returning b.* into p_bulk;
    perform mill.settle_held((v_job.id, v_worker, v_job.attempt),
      jsonb_build_object('outcome', 'completed', 'result', jsonb_build_object('done', p_bulk.done, 'refused', p_bulk.refused)));
  else
    perform mill.heartbeat(v_worker, jsonb_build_array(jsonb_build_object('id', v_job.id, 'attempt', v_job.attempt, 'progress', (
      select least(99, (b.done + b.refused) * 100 / greatest(b.total, 1)) from mill.console_bulk b where b.id = p_bulk.id))));
  end if;
end
$$;

comment on function mill.run_bulk(mill.console_bulk, timestamptz) is 'Works on one bulk action until a time. For mill.run_console_bulks alone.';
revoke execute on function mill.run_bulk(mill.console_bulk, timestamptz) from public;

-- A hook of the tick. Its time is bounded: what is left waits for the next round, so that reclaim and wake-ups come on time. Actions take turns by
-- the time of their last round. Only while there is one, queue console is looked at at all.
create or replace function mill.run_console_bulks() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_until timestamptz := clock_timestamp() + make_interval(secs => mill.setting('console.bulk_ms', '500')::numeric::double precision / 1000);
  v_bulk mill.console_bulk;
begin
  if not exists (select from mill.console_bulk b where b.state = 'running') then
    return;
  end if;
  perform from mill.claim('pump', array['console'], 10, p_waits => false);
  for v_bulk in select b.* from mill.console_bulk b where b.state = 'running' order by b.updated_at, b.id limit 10 for update skip locked loop
    exit when clock_timestamp() >= v_until;
    perform mill.run_bulk(v_bulk, v_until);
  end loop;
end
$$;

comment on function mill.run_console_bulks() is 'Hook of tick: works on bulk actions for a bounded time.';
revoke execute on function mill.run_console_bulks() from public;

create or replace function mill.forget_console_bulks(p_now timestamptz) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  delete from mill.console_bulk b where b.state <> 'running' and b.updated_at < p_now - interval '90 days'
$$;

comment on function mill.forget_console_bulks(timestamptz) is 'Hook of maintain: removes bulk actions that ended 90 days ago.';
revoke execute on function mill.forget_console_bulks(timestamptz) from public;
