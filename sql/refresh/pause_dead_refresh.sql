-- A refresh that became a dead letter: whether its processor said so, its attempts are used up or its processors were lost, the row of
-- job_dead is the one place where all of that arrives. Few jobs die, so the trigger costs nothing.
--
-- The first dead letter pauses nothing: the next staleness pass asks again, so that an outage of half a minute costs a minute. The
-- pause after further ones in a row is 1, 2, 4 … minutes up to the bound. So after an outage a symbol waits for about as long as the
-- outage lasted, never longer than the bound; and a symbol that can never be fetched does not become a dead letter every minute. A
-- success starts over. The breaker protects the provider; this bounds what one symbol costs.
create or replace function mill.pause_dead_refresh() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_longest int := mill.setting('refresh.failure_pause_max_minutes', '15')::int;
begin
  insert into mill.data_check as c (data_type, symbol, next_check_at, reason, failures, noted_at)
  values (new.payload ->> 'data_type', new.payload ->> 'symbol', v_now, 'dead', 1, v_now)
  on conflict (data_type, symbol) do update set
    failures = case c.reason when 'dead' then least(c.failures + 1, 30) else 1 end,
    next_check_at = v_now + case c.reason when 'dead'
      then make_interval(mins => least(power(2, least(c.failures, 30) - 1), v_longest)::int) else interval '0' end,
    reason = 'dead', noted_at = v_now;
  return null;
end
$$;

comment on function mill.pause_dead_refresh() is 'Trigger: says when a symbol whose refresh became a dead letter is asked for again.';
revoke execute on function mill.pause_dead_refresh() from public;

drop trigger if exists pause_dead_refresh on mill.job_dead;
create trigger pause_dead_refresh after insert on mill.job_dead
for each row when (new.queue ~ '^refresh(-|$)' and new.payload ->> 'data_type' is not null and new.payload ->> 'symbol' is not null)
execute function mill.pause_dead_refresh();
