-- A refresh that became a dead letter, whether its processor said so, its attempts are used up or its processors were lost.
--
-- The first dead letter pauses nothing: the next staleness pass asks again, so that an outage of half a minute costs a minute. The
-- pause after further ones in a row is 1, 2, 4 … minutes up to the bound. So after an outage a symbol waits for about as long as the
-- outage lasted, never longer than the bound; and a symbol that can never be fetched does not become a dead letter every minute. A
-- success starts over. The breaker protects the provider; this bounds what one symbol costs.
create or replace function mill.pause_dead_refreshes(p_acted jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_longest int := mill.setting('refresh.failure_pause_max_minutes', '15')::int;
begin
  if p_acted ->> 'action' <> 'dead' then
    return;
  end if;
  insert into mill.data_check as c (data_type, symbol, next_check_at, reason, failures, noted_at)
  select distinct d.payload ->> 'data_type', d.payload ->> 'symbol', v_now, 'dead', 1, v_now
  from mill.job_dead d
  where d.id = any (array(select j::uuid from jsonb_array_elements_text(p_acted -> 'jobs') j))
    and d.queue ~ '^refresh(-|$)' and d.payload ->> 'data_type' is not null and d.payload ->> 'symbol' is not null
  on conflict (data_type, symbol) do update set
    failures = case c.reason when 'dead' then least(c.failures + 1, 30) else 1 end,
    next_check_at = v_now + case c.reason when 'dead'
      then make_interval(mins => least(power(2, least(c.failures, 30) - 1), v_longest)::int) else interval '0' end,
    reason = 'dead', noted_at = v_now;
end
$$;

comment on function mill.pause_dead_refreshes(jsonb) is 'Hook of acted: says when a symbol whose refresh became a dead letter is asked for again.';
revoke execute on function mill.pause_dead_refreshes(jsonb) from public;

insert into mill.hook (event, routine, place) values ('acted', 'mill.pause_dead_refreshes', 50)
on conflict (event, routine) do update set place = excluded.place;
