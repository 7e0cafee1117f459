-- Who should fetch a pending job, and what became of that: workers that were seen, or invocations of the queue's function.
create or replace function mill.explain_service(p_job jsonb, p_queue mill.queue) returns table (code text, until timestamptz, sentence text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_alive timestamptz := v_now - make_interval(secs => mill.setting('worker.timeout_seconds', '300')::int);
  v_seen timestamptz;
  v_is_alive boolean;
  v_breaker mill.breaker;
  v_last mill.invocation;
  v_running int;
  v_function text := coalesce(p_queue.function, p_queue.url);
begin
  if p_queue.served_by <> 'function' then
    if (select k.first_asked_at is null from mill.kind k where k.kind = p_job ->> 'kind') then
      return query select 'kind_unserved', null::timestamptz, format(
        'No worker has ever asked for jobs of the kind %s. Start a worker that handles it.', p_job ->> 'kind');
      return;
    end if;
    v_seen := greatest(
      (select max(w.seen_at) from mill.worker w where p_queue.queue = any (w.queues)), (select max(c.claimed_at) from mill.claimant c where c.queue = p_queue.queue));
    v_is_alive := exists (select from mill.worker w where p_queue.queue = any (w.queues) and w.seen_at >= v_alive and w.ended_at is null)
      or exists (select from mill.claimant c where c.queue = p_queue.queue and c.claimed_at >= v_alive and not mill.has_ended(c.worker, c.claimed_at));
    if not v_is_alive then
      return query select 'no_worker', null::timestamptz, format('No worker has asked for jobs of the queue %s %s. Start %s.', p_queue.queue,
        coalesce('since ' || mill.time_text(v_seen), 'yet'),
        case p_queue.served_by when 'external' then 'the worker of your own that serves it' else 'one: gristmill work, or a worker of your own' end);
    end if;
    return;
  end if;

  if not mill.can_post(v_function) then
    return query select 'cannot_invoke', null::timestamptz, format('Functions cannot be called, because %s. Run gristmill configure, then gristmill doctor.', concat_ws(' and ',
      case when mill.function_url(v_function) is null then 'the setting functions.base_url is missing' end,
      case when to_regproc('net.http_post') is null then 'neither pg_net nor the relay is there' end,
      case when not exists (select from mill.secret s where s.name = 'invoke') then 'there is no key to sign with' end));
    return;
  end if;
  select b.* into v_breaker from mill.breaker b where b.target = mill.target_of(v_function, p_queue.provider) and b.state <> 'closed';
  if v_breaker.state = 'open' then
    return query select 'breaker_open', v_breaker.retry_at, format(
      'The circuit breaker of %s is open (%s): nothing is called before %s. Mend the cause; the breaker closes by itself after one good call.',
      v_breaker.target, v_breaker.reason, mill.time_text(v_breaker.retry_at));
  elsif v_breaker.state = 'half_open' then
    return query select 'breaker_probing', null::timestamptz, format(
      'The circuit breaker of %s is half open: one call at a time is let through until one has succeeded. Wait for that, and look into the log of the function if it opens again.', v_breaker.target);
  end if;

  select i.* into v_last from mill.invocation i where i.queue = p_queue.queue order by i.asked_at desc limit 1;
  if v_last.failure is not null then
    return query select 'invocation_failed', null::timestamptz, format(
      'The function was called at %s, and that failed: %s. Look into the log of the function; it is called again with the next round of the pump.',
      mill.time_text(v_last.asked_at), left(v_last.failure, 300));
  elsif v_last.begun_at is null and v_last.asked_at > v_now - make_interval(secs => p_queue.invocation_seconds) then
    return query select 'invoked', null::timestamptz, format(
      'The function was called at %s and has not claimed jobs yet. If this stays so, look into its log.', mill.time_text(v_last.asked_at));
  end if;
  select count(*) into v_running from mill.invocation i
  where i.queue = p_queue.queue and i.begun_at > v_now - make_interval(secs => p_queue.invocation_seconds) and i.ended_at is null;
  if v_running >= p_queue.max_parallel then
    return query select 'all_invocations_busy', null::timestamptz, format(
      '%s of %s invocations of the queue %s are at work. The next one begins when one of them ends. Raise max_parallel or batch_size for more at once.', v_running, p_queue.max_parallel,
      p_queue.queue);
  end if;
end
$$;

comment on function mill.explain_service(jsonb, mill.queue) is 'Who should fetch a pending job, and why nobody does. For mill.explain_job alone.';
revoke execute on function mill.explain_service(jsonb, mill.queue) from public;
