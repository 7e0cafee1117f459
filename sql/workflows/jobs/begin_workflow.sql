-- A row of mill.workflow is a job: whoever inserts one, by RPC or by way of public.jobs, gets its tasks with it.
create or replace function mill.begin_workflow() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_definition public.workflow_definition;
  v_max_bytes int := mill.setting('queue.payload_max_bytes', '65536')::int;
begin
  select * into v_definition from public.workflow_definition d
  where d.type = new.type and d.active and (d.open_to_users or public.is_service_role() or auth.uid() is null)
  order by d.version desc limit 1;
  if not found then
    raise exception 'there is no workflow of this type' using errcode = 'GM060'; -- and not which: answers repeat nothing that was sent
  end if;
  if jsonb_typeof(new.params) is distinct from 'object' then
    raise exception 'params must be an object' using errcode = 'GM066';
  end if;
  if pg_column_size(new.params) > v_max_bytes then
    raise exception 'params are larger than % bytes', v_max_bytes using errcode = 'GM066';
  end if;
  new.id := mill.uuid7();
  new.version := v_definition.version;
  new.user_id := coalesce(new.user_id, auth.uid());
  new.params := mill.workflow_params(v_definition, new.params);
  perform mill.check_workflow_params(v_definition, new.params);
  new.created_at := mill.now();
  new.updated_at := new.created_at;
  new.message := 'Queued';
  return new;
end
$$;

comment on function mill.begin_workflow() is 'Takes the newest definition of its type for a new job.';
revoke execute on function mill.begin_workflow() from public, anon, authenticated;

create or replace function mill.make_tasks() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_step mill.workflow_step;
begin
  insert into mill.step (job_id, key, total)
  select new.id, w.key, case when w.family is null then 1 end
  from mill.workflow_step w where w.type = new.type and w.version = new.version and not w.is_inserted;
  insert into mill.task (id, job_id, key)
  select mill.uuid7_at(mill.clock_us() + w.position, mill.uuid7_tail()), new.id, w.key
  from mill.workflow_step w where w.type = new.type and w.version = new.version and w.family is null;
  -- Lists among the params are known already: their tasks are there from the beginning.
  for v_step in
    select * from mill.workflow_step w where w.type = new.type and w.version = new.version and w.for_each[1] = 'params'
  loop
    perform mill.expand_step(new, v_step, 'waiting');
  end loop;
  perform mill.advance_workflow(new.id, '{}', '{}', true);
  return null;
end
$$;

comment on function mill.make_tasks() is 'Makes the steps and tasks of a new job and starts those that wait for nothing.';
revoke execute on function mill.make_tasks() from public, anon, authenticated;

drop trigger if exists begin_workflow on mill.workflow;
create trigger begin_workflow before insert on mill.workflow for each row execute function mill.begin_workflow();
drop trigger if exists make_tasks on mill.workflow;
create trigger make_tasks after insert on mill.workflow for each row execute function mill.make_tasks();
