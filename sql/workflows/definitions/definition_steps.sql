-- The tasks of a definition as rows. What is missing gets its default here; mill.check_definition refuses what is wrong.
create or replace function mill.definition_steps(p_type text, p_version int, p_tasks jsonb) returns setof mill.workflow_step
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with recursive task as (
    select t.ordinality::int as position, t.task,
      t.task ->> 'key' as key,
      array(select jsonb_array_elements_text(coalesce(t.task -> 'needs', '[]'))) as needs,
      string_to_array(t.task ->> 'for_each', '.') as for_each,
      t.task ->> 'each' as each_of
    from jsonb_array_elements(p_tasks) with ordinality as t(task, ordinality)
  ),
  member as (
    select t.key, t.key as family from task t where t.for_each is not null
    union
    select t.key, m.family from member m join task t on t.each_of = m.key
  )
  select p_type, p_version, t.position, t.key, t.task ->> 'kind', t.needs, t.for_each, t.each_of,
    (select m.family from member m where m.key = t.key limit 1),
    mill.template_pieces(t.task -> 'input'),
    coalesce((t.task ->> 'weight')::numeric, 1),
    coalesce(t.task ->> 'phase', t.key),
    case when jsonb_typeof(t.task -> 'on_failure') = 'object' then 'compensate' else coalesce(t.task ->> 'on_failure', 'fail') end,
    t.task #>> '{on_failure,compensate}',
    exists (select from task o where o.task #>> '{on_failure,compensate}' = t.key),
    coalesce((t.task ->> 'tolerant')::boolean, false),
    (t.task ->> 'max_attempts')::int,
    false
  from task t
$$;

comment on function mill.definition_steps(text, int, jsonb) is 'Takes the tasks of a definition apart.';
revoke execute on function mill.definition_steps(text, int, jsonb) from public;
