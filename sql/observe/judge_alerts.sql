-- One judge at a time, and one rule that fails hides no other.
create or replace function mill.judge_alerts() returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_rule mill.alert_rule;
  v_changed int := 0;
begin
  if not pg_try_advisory_xact_lock(7022311640271850) then -- any constant that only this uses
    return 0;
  end if;
  for v_rule in select r.* from mill.alert_rule r where r.enabled order by r.rule loop
    begin
      v_changed := v_changed + mill.judge_rule(v_rule);
    exception when others then
      insert into mill.event (at, code, detail) values (mill.now(), 'alert_rule_failed',
        jsonb_build_object('rule', v_rule.rule, 'sqlstate', sqlstate, 'message', sqlerrm));
    end;
  end loop;
  return v_changed;
end
$$;

comment on function mill.judge_alerts() is 'Evaluates every rule; says how many alerts fired or resolved.';
revoke execute on function mill.judge_alerts() from public;

-- A stoppage is an alert within a minute, so that is looked at every 10 seconds.
create or replace function mill.watch_alerts() returns int
language sql
set search_path = pg_catalog, pg_temp
as $$ select case when mill.every('watch_alerts', interval '10 seconds') then mill.judge_alerts() end $$;

comment on function mill.watch_alerts() is 'mill.judge_alerts every 10 seconds, for the tick.';
revoke execute on function mill.watch_alerts() from public;

insert into mill.hook (event, routine, place) values ('tick', 'mill.watch_alerts', 30)
on conflict (event, routine) do update set place = excluded.place;
