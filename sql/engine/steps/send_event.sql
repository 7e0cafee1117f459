-- Sends an event to a job, in the caller's transaction. It is kept until the job waits for an event of this name, also when it does so only later. A job that
-- waits for it is due at once. Answers
--
--   delivered   the job was waiting for it
--   kept        the job does not wait for it yet
--   duplicate   an event with this key was sent to the job before
--   not_live    the job has ended, or there is none
create or replace function mill.send_event(p_job uuid, p_event text, p_payload jsonb default 'null', p_key text default null) returns text
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job mill.job_live;
  v_max int := mill.setting('queue.payload_max_bytes', '65536')::int;
begin
  if p_event is null or length(p_event) not between 1 and 200 or length(p_key) not between 1 and 200 then
    perform mill.refuse_step('an event needs a name of up to 200 characters, and so has its key', null);
  elsif pg_column_size(p_payload) > v_max then
    perform mill.refuse_step(format('the payload of the event is larger than %s bytes', v_max), 'Store the content elsewhere and send a reference to it.');
  end if;
  perform pg_current_xact_id(); -- before the clock: see mill.raise_floors
  perform mill.lock_steps(p_job);
  select j.* into v_job from mill.job_live j where j.id = p_job for update;
  if not found and not exists (select from mill.packed_job p where p.id = p_job) then
    return 'not_live';
  end if;
  if exists (select from mill.job_event e where e.job = p_job and e.key = p_key) then
    return 'duplicate';
  end if;
  if (select count(*) from mill.job_event e where e.job = p_job) >= mill.setting('steps.max_events_per_job', '1000')::int then
    perform mill.refuse_step('the job was sent as many events as one job may have', null);
  end if;
  insert into mill.job_event (job, event, payload, at, key) values (p_job, p_event, coalesce(p_payload, 'null'), mill.now(), p_key);
  if v_job.state is distinct from 'deferred'
    or not exists (select from mill.job_step s where s.job = p_job and s.state = 'waiting' and s.event = p_event)
  then
    return 'kept';
  end if;
  update mill.job_live j set state = 'pending', waits = false, run_at = mill.now(), turn = mill.clock_us() where j.id = p_job;
  perform mill.wake(q) from mill.queue q where q.queue = v_job.queue;
  return 'delivered';
end
$$;

comment on function mill.send_event(uuid, text, jsonb, text) is 'Sends an event to a job: delivered, kept, duplicate or not_live.';
revoke execute on function mill.send_event(uuid, text, jsonb, text) from public;
do $$
begin
  if to_regrole('gristmill_app') is not null then
    grant execute on function mill.send_event(uuid, text, jsonb, text) to gristmill_app;
  end if;
end
$$;
