-- Opens, probes and closes the breakers of targets by the failure rate of attempts: those that failed, died or
-- lost their worker, among all that ended, within the window and since the breaker last changed. An attempt
-- counts whether or not its job is dead, so a target that is down opens its breaker before jobs die of it.
--
-- One tenant alone opens nothing: the rate must also be over the limit without the tenant that failed most, and a quarter of
-- breaker.min_attempts must have failed for others. Otherwise one user's jobs could stop everyone's queue. A probe that only one tenant's
-- failures speak against is followed by another. A probe that ended in permanent errors alone was answered: the target is well.
--
--   closed ──rate over limit──► open ──cooldown over──► half-open ──probe succeeded──► closed
--                                 ▲                        │
--                                 └────────probe failed────┘ cooldown doubled, 10 minutes at the most
create or replace function mill.judge_breakers() returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_rate numeric := mill.setting('breaker.failure_rate', '0.5')::numeric;
  v_minimum int := mill.setting('breaker.min_attempts', '20')::int;
  v_target record;
  v_changed int := 0;
begin
  insert into mill.breaker (target, changed_at)
  select distinct mill.target_of(coalesce(q.function, q.url), q.provider), '-infinity'::timestamptz from mill.queue q
  where coalesce(q.function, q.url) is not null and not exists (select from mill.breaker b where b.target = mill.target_of(coalesce(q.function, q.url), q.provider))
  on conflict do nothing;

  for v_target in
    select b.target, b.state, b.retry_at, b.probe, s.attempts, s.failures, s.permanent, mill.probe_state(b.probe) as probe_state,
      s.failures > s.worst and s.failures - s.worst >= v_rate * (s.attempts - s.worst) as others_fail_too,
      s.failures - s.worst >= v_minimum / 4.0 as others_fail_often
    from mill.breaker b cross join lateral mill.recent_attempts(b.target, b.changed_at) s
    order by b.target
    for no key update of b skip locked
  loop
    if v_target.state = 'closed' and v_target.attempts >= v_minimum and v_target.failures >= v_rate * v_target.attempts
      and v_target.others_fail_too and v_target.others_fail_often
    then
      perform mill.set_breaker(v_target.target, 'open', format('%s of %s attempts failed', v_target.failures, v_target.attempts));
    elsif v_target.state = 'open' and v_target.retry_at <= v_now then
      perform mill.set_breaker(v_target.target, 'half_open', 'the cooldown is over');
    elsif v_target.probe_state = 'lost' or
      v_target.probe_state = 'ended' and v_target.failures >= v_rate * v_target.attempts and v_target.others_fail_too
    then
      perform mill.set_breaker(v_target.target, 'open', format('the probe was %s, %s of %s attempts failed',
        v_target.probe_state, v_target.failures, v_target.attempts));
    elsif v_target.probe_state = 'ended' and v_target.attempts + v_target.permanent > 0 and v_target.failures < v_rate * greatest(v_target.attempts, 1) then
      perform mill.set_breaker(v_target.target, 'closed', 'the probe succeeded');
    elsif v_target.probe_state = 'ended' then
      -- It found nothing to do, or failed for one tenant alone: another may go.
      update mill.breaker b set probe = null where b.target = v_target.target;
    else
      continue;
    end if;
    v_changed := v_changed + 1;
  end loop;
  return v_changed;
end
$$;

comment on function mill.judge_breakers() is 'Moves each target''s breaker by its recent attempts; says how many moved.';
revoke execute on function mill.judge_breakers() from public;
