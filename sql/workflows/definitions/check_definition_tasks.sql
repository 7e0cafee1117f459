-- The shape of each task by itself. Raises for the first that is wrong.
create or replace function mill.check_definition_tasks(p_tasks jsonb) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if jsonb_typeof(p_tasks) is distinct from 'array' or jsonb_array_length(p_tasks) not between 1 and 500
    or p_tasks @? '$[*] ? (@.type() != "object")'
  then
    perform mill.refuse_definition('GM061', 'tasks must be an array of 1 to 500 objects');
  end if;

  perform case
    when t.key !~ '^[a-z][a-z0-9_]{0,40}$' or t.key is null
      then mill.refuse_definition('GM061', format('task %s needs a key of small letters, digits and _', t.n))
    when t.key in ('params', 'item', 'index', 'job', 'task', 'failure')
      then mill.refuse_definition('GM061', format('"%s" cannot be the key of a task: templates use the word', t.key))
    when count(*) over (partition by t.key) > 1
      then mill.refuse_definition('GM061', format('there are two tasks "%s"', t.key))
    when t.unknown is not null
      then mill.refuse_definition('GM061', format('task "%s" has an unknown field "%s"', t.key, t.unknown))
    when jsonb_typeof(t.task -> 'kind') is distinct from 'string'
      then mill.refuse_definition('GM061', format('task "%s" needs a kind', t.key))
    when not exists (select from mill.kind k where k.kind = t.task ->> 'kind')
      then mill.refuse_definition('GM063', format('task "%s" is of an unknown kind "%s"', t.key, t.task ->> 'kind'))
    when jsonb_typeof(coalesce(t.task -> 'needs', '[]')) <> 'array' or t.task @? '$.needs[*] ? (@.type() != "string")'
      then mill.refuse_definition('GM061', format('needs of task "%s" must be an array of keys', t.key))
    when t.task ? 'for_each' and t.task ? 'each'
      then mill.refuse_definition('GM061', format('task "%s" has both for_each and each', t.key))
    when (t.task ->> 'for_each') !~ '^[a-z][a-z0-9_]*(\.[A-Za-z0-9_]+)*$'
      then mill.refuse_definition('GM065', format('for_each of task "%s" must be a reference like params.items', t.key))
    when jsonb_typeof(coalesce(t.task -> 'weight', '1')) <> 'number' or (t.task ->> 'weight')::numeric not between 0.001 and 1000000
      then mill.refuse_definition('GM061', format('weight of task "%s" must be a positive number', t.key))
    when jsonb_typeof(coalesce(t.task -> 'phase', '""')) <> 'string' or (t.task ->> 'phase') !~ '^[a-z][a-z0-9_ -]{0,40}$'
      then mill.refuse_definition('GM061', format('phase of task "%s" must be a short word', t.key))
    when jsonb_typeof(coalesce(t.task -> 'tolerant', 'true')) <> 'boolean'
      then mill.refuse_definition('GM061', format('tolerant of task "%s" must be true or false', t.key))
    when jsonb_typeof(coalesce(t.task -> 'max_attempts', '1')) <> 'number' or (t.task ->> 'max_attempts')::numeric not between 1 and 1000
      then mill.refuse_definition('GM061', format('max_attempts of task "%s" must be between 1 and 1000', t.key))
    when t.task ? 'on_failure' and coalesce(t.task -> 'on_failure' not in ('"fail"', '"skip"')
        and jsonb_typeof(t.task #> '{on_failure,compensate}') is distinct from 'string', true)
      then mill.refuse_definition('GM061', format('on_failure of task "%s" must be fail, skip or {"compensate": key}', t.key))
    when jsonb_typeof(t.task -> 'input') is distinct from 'object' or t.task -> 'input' = '{}'
      then mill.refuse_definition('GM065', format('input of task "%s" must be an object with at least one field', t.key))
  end
  from (
    select e.task, e.n, e.task ->> 'key' as key,
      (select min(f) from jsonb_object_keys(e.task) f where f not in ('key', 'kind', 'needs', 'for_each', 'each', 'input',
        'weight', 'phase', 'on_failure', 'tolerant', 'max_attempts')) as unknown
    from jsonb_array_elements(p_tasks) with ordinality as e(task, n)
  ) t;
end
$$;

comment on function mill.check_definition_tasks(jsonb) is 'Refuses a definition one of whose tasks is malformed or of an unknown kind.';
revoke execute on function mill.check_definition_tasks(jsonb) from public;
