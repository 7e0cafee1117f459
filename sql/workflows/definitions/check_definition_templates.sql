-- What templates refer to must be there when the task starts: params, its own item, or a task that it waits for,
-- directly or through others. A compensation may refer to any task: what has not run is null.
create or replace function mill.check_definition_templates(p_steps mill.workflow_step[], p_tasks jsonb) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_bad record;
begin
  select s.key into v_bad from unnest(p_steps) s
  where s.pieces @? '$[*].text ? (@ like_regex "[{][{]|[}][}]")'
    or exists (
      select from jsonb_path_query(p_tasks -> (s.position - 1) -> 'input', 'strict $.** ? (@.type() == "object").keyvalue().key') k
      where k #>> '{}' like '%{{%')
  limit 1;
  if found then
    perform mill.refuse_definition('GM065', format(
      'input of task "%s" has braces that are no reference; {{params.name}} is one, and only within a value', v_bad.key));
  end if;

  with recursive upstream as (
    select s.key, n.need from unnest(p_steps) s cross join lateral unnest(s.needs || s.each_of) as n(need) where n.need is not null
    union
    select u.key, n.need from upstream u join unnest(p_steps) s on s.key = u.need
    cross join lateral unnest(s.needs || s.each_of) as n(need) where n.need is not null
  ),
  reference as (
    select s as step, p.piece ->> 'root' as root, false as is_list
    from unnest(p_steps) s cross join lateral jsonb_array_elements(s.pieces) as p(piece) where p.piece ? 'root'
    union all
    select s, s.for_each[1], true from unnest(p_steps) s where s.for_each is not null
  )
  select (r.step).key, r.root into v_bad
  from reference r
  where case
    when r.root in ('params', 'job') then false
    when r.root = 'task' then r.is_list
    when r.root in ('item', 'index') then r.is_list or (r.step).family is null
    when r.root = 'failure' then not (r.step).is_compensation
    when (r.step).is_compensation then not exists (select from unnest(p_steps) o where o.key = r.root)
    else not exists (select from upstream u where u.key = (r.step).key and u.need = r.root)
  end
  limit 1;
  if found then
    perform mill.refuse_definition('GM065', format(
      'task "%s" refers to "%s", which is not there when it starts', v_bad.key, v_bad.root));
  end if;
end
$$;

comment on function mill.check_definition_templates(mill.workflow_step[], jsonb) is
  'Refuses a definition with a template that refers to what cannot be there.';
revoke execute on function mill.check_definition_templates(mill.workflow_step[], jsonb) from public;
