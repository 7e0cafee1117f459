create or replace function mill.check_definition_choices(p_choices jsonb, p_defaults jsonb) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if jsonb_typeof(p_choices) <> 'object' then
    perform mill.refuse_definition('GM061', 'choices must be an object');
  end if;
  perform mill.refuse_definition('GM061', format('choices of "%s" must name a field, and a list of the defaults, and "%s" must be a list of them too', c.key, c.key))
  from jsonb_each(p_choices) c
  where (jsonb_typeof(c.value -> 'field'), jsonb_typeof(p_defaults -> (c.value ->> 'among')), jsonb_typeof(p_defaults -> c.key))
    is distinct from ('string', 'array', 'array');
end
$$;

comment on function mill.check_definition_choices(jsonb, jsonb) is 'Refuses choices that choose from nothing.';
revoke execute on function mill.check_definition_choices(jsonb, jsonb) from public;

create or replace function mill.check_definition() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_steps mill.workflow_step[];
begin
  if tg_op = 'UPDATE' and (new.type, new.version, new.tasks, new.defaults, new.documents, new.params_schema, new.choices)
    is distinct from (old.type, old.version, old.tasks, old.defaults, old.documents, old.params_schema, old.choices)
    and exists (select from mill.workflow j where j.type = old.type and j.version = old.version)
  then
    raise exception 'version % of "%" has been started and cannot change', old.version, old.type
      using errcode = 'GM069', hint = 'Insert the next version instead.';
  end if;

  new.compiled_params := mill.compile_schema(new.params_schema);
  perform mill.check_definition_choices(new.choices, new.defaults);
  -- Its tasks are inserted into job_tasks, job by job: there is nothing to check before.
  if new.tasks = '[]' then
    return new;
  end if;
  perform mill.check_definition_tasks(new.tasks);
  v_steps := array(select s from mill.definition_steps(new.type, new.version, new.tasks) s);
  perform mill.check_definition_graph(v_steps);
  perform mill.check_definition_templates(v_steps, new.tasks);
  if new.documents is not null and not exists (select from unnest(v_steps) s where s.key = new.documents) then
    perform mill.refuse_definition('GM061', format('documents names "%s", which is no task', new.documents));
  end if;
  return new;
end
$$;

comment on function mill.check_definition() is 'Refuses a definition that could not run, with the reason.';
revoke execute on function mill.check_definition() from public, anon, authenticated;

create or replace function mill.keep_definition_steps() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from mill.workflow_step s where s.type = new.type and s.version = new.version and not s.is_inserted;
  insert into mill.workflow_step select * from mill.definition_steps(new.type, new.version, new.tasks);
  return null;
end
$$;

comment on function mill.keep_definition_steps() is 'Keeps a definition taken apart.';
revoke execute on function mill.keep_definition_steps() from public, anon, authenticated;

drop trigger if exists check_definition on public.workflow_definition;
create trigger check_definition before insert or update on public.workflow_definition
for each row execute function mill.check_definition();
drop trigger if exists keep_definition_steps on public.workflow_definition;
create trigger keep_definition_steps after insert or update of type, version, tasks on public.workflow_definition
for each row execute function mill.keep_definition_steps();
