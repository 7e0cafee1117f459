-- Moves the alerts of one rule: above the threshold → pending → firing after hold_seconds; below it → gone or resolved.
create or replace function mill.judge_rule(p_rule mill.alert_rule) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_high jsonb;
  v_changed uuid[];
begin
  execute format('select coalesce(jsonb_object_agg(m.subject, m.value), ''{}'') from %s() m where m.value >= $1', p_rule.measure)
  into v_high using p_rule.threshold;

  delete from mill.alert a where a.rule = p_rule.rule and a.state = 'pending' and not v_high ? a.subject;
  update mill.alert a set value = (v_high ->> a.subject)::numeric
  where a.rule = p_rule.rule and a.state <> 'resolved' and v_high ? a.subject;
  insert into mill.alert (id, rule, subject, state, value, since)
  select mill.uuid7(), p_rule.rule, h.key, 'pending', h.value::numeric, v_now from jsonb_each_text(v_high) h
  on conflict (rule, subject) where state <> 'resolved' do nothing;

  with changed as (
    update mill.alert a set
      state = case when v_high ? a.subject then 'firing' else 'resolved' end,
      fired_at = coalesce(a.fired_at, v_now),
      resolved_at = case when not v_high ? a.subject then v_now end
    where a.rule = p_rule.rule and (
      a.state = 'pending' and a.since <= v_now - make_interval(secs => p_rule.hold_seconds)
      or a.state = 'firing' and not v_high ? a.subject)
    returning a.id
  )
  select coalesce(array_agg(c.id), '{}') into v_changed from changed c;
  perform mill.deliver_alert(c.id) from unnest(v_changed) c(id);
  return cardinality(v_changed);
end
$$;

comment on function mill.judge_rule(mill.alert_rule) is 'Fires and resolves the alerts of one rule; says how many changed.';
revoke execute on function mill.judge_rule(mill.alert_rule) from public;
