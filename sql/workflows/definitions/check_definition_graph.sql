-- How the tasks hang together: every one must be able to start, and no one may wait for itself.
create or replace function mill.check_definition_graph(p_steps mill.workflow_step[]) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_bad record;
  v_cycle text[];
begin
  select s.key, n.need into v_bad
  from unnest(p_steps) s cross join lateral unnest(s.needs || s.each_of || s.compensation) as n(need)
  where n.need is not null and not exists (select from unnest(p_steps) o where o.key = n.need) limit 1;
  if found then
    perform mill.refuse_definition('GM064', format('task "%s" can never start: there is no task "%s"', v_bad.key, v_bad.need));
  end if;

  v_cycle := mill.definition_cycle(p_steps);
  if v_cycle is not null then
    perform mill.refuse_definition('GM062', format('tasks wait for each other in a cycle: %s', array_to_string(v_cycle, ' needs ')));
  end if;

  select s.key, o.key as need into v_bad
  from unnest(p_steps) s join unnest(p_steps) o on (o.key = any (s.needs) or o.key = s.each_of) and o.is_compensation limit 1;
  if found then
    perform mill.refuse_definition('GM064', format(
      'task "%s" can never be reached: "%s" runs only as a compensation', v_bad.key, v_bad.need));
  end if;
  select s.key into v_bad from unnest(p_steps) s
  where s.is_compensation and (s.needs <> '{}' or s.for_each is not null or s.each_of is not null or s.compensation is not null) limit 1;
  if found then
    perform mill.refuse_definition('GM061', format(
      'task "%s" is a compensation: it has no needs, no items and no compensation of its own', v_bad.key));
  end if;
  select s.key, s.each_of into v_bad from unnest(p_steps) s where s.each_of is not null and s.family is null limit 1;
  if found then
    perform mill.refuse_definition('GM061', format('task "%s" goes along "%s", which has no items', v_bad.key, v_bad.each_of));
  end if;
end
$$;

comment on function mill.check_definition_graph(mill.workflow_step[]) is 'Refuses a definition with a cycle, or with a task that can never start.';
revoke execute on function mill.check_definition_graph(mill.workflow_step[]) from public;
