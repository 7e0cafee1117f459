-- The service inserts the tasks of a job whose definition has none. Each kind is a step of the job, and the tasks are its items.
--
-- A row's trigger only writes the task down. What may start is known when the statement ends: a PDF may have been inserted before its text.
create or replace function mill.insert_task() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job mill.workflow;
  v_max_bytes int := mill.setting('queue.payload_max_bytes', '65536')::int;
begin
  select * into v_job from mill.workflow j where j.id = new.job_id for update;
  if not found then
    raise exception 'there is no such job' using errcode = '23503';
  elsif not exists (select from public.workflow_definition d where d.type = v_job.type and d.version = v_job.version and d.tasks = '[]') then
    raise exception 'the tasks of a job of this type come from its definition' using errcode = '42501',
      hint = 'Insert a workflow_definition without tasks for a type of your own.';
  elsif v_job.status not in ('queued', 'processing') then
    raise exception 'the job is % already', v_job.status using errcode = 'GM067';
  elsif coalesce(new.status, 'pending') <> 'pending' then
    raise exception 'a new task has the status pending' using errcode = '42501';
  elsif not exists (select from mill.kind k where k.kind = new.task_type) then
    raise exception 'unknown job kind "%"', new.task_type using errcode = 'GM001';
  end if;
  new.input := coalesce(new.input, '{}');
  if jsonb_typeof(new.input) <> 'object' or pg_column_size(new.input) > v_max_bytes then
    raise exception 'input must be an object of at most % bytes', v_max_bytes using errcode = 'GM066';
  end if;
  new.id := mill.uuid7();
  new.key := new.task_type;
  new.item := coalesce((select max(t.item) + 1 from mill.task t where t.job_id = new.job_id and t.key = new.key), 0);
  new.sequence := coalesce(new.sequence, (select max(i.sequence) + 1 from mill.task_sequence i where i.job_id = new.job_id), 0);
  new.status := 'pending';
  new.attempts := 0;
  new.max_attempts := 3;
  new.phase := regexp_replace(new.task_type, '_generation$', '');
  new.progress := 0;
  insert into mill.workflow_step (type, version, position, key, kind, needs, family, pieces, weight, phase, on_failure, is_compensation, tolerant, max_attempts, is_inserted)
  select v_job.type, v_job.version, coalesce(max(w.position), 0) + 1, new.key, new.task_type, '{}', new.key, mill.template_pieces('"{{item}}"'),
    1, new.phase, 'fail', false, false, new.max_attempts, true
  from mill.workflow_step w where w.type = v_job.type and w.version = v_job.version
  on conflict do nothing;
  insert into mill.task (id, job_id, key, item, value) values (new.id, new.job_id, new.key, new.item, new.input);
  insert into mill.task_sequence (id, job_id, kind, sequence) values (new.id, new.job_id, new.task_type, new.sequence);
  return new;
end
$$;

comment on function mill.insert_task() is 'Writes a task down that is inserted into job_tasks.';
revoke execute on function mill.insert_task() from public;

create or replace function mill.begin_inserted_tasks() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_job mill.workflow;
  v_id uuid;
begin
  for v_job in
    select j.* from mill.workflow j where j.id in (select i.job_id from mill.task_sequence i where not i.is_begun) order by j.id for update
  loop
    insert into mill.step as s (job_id, key, state, total)
    select v_job.id, i.kind, 'open', count(*) from mill.task_sequence i where i.job_id = v_job.id and not i.is_begun group by i.kind
    on conflict (job_id, key) do update set total = s.total + excluded.total, state = 'open';
    update mill.task_sequence i set is_begun = true where i.job_id = v_job.id and not i.is_begun;
    -- One by one: they are claimed in the order in which they are started.
    foreach v_id in array mill.due_in_sequence(v_job.id) loop
      perform mill.start_tasks(v_job, array[v_id]);
    end loop;
    perform mill.keep_progress(v_job);
  end loop;
  return null;
end
$$;

comment on function mill.begin_inserted_tasks() is 'Starts what may start of the tasks that a statement has inserted into job_tasks.';
revoke execute on function mill.begin_inserted_tasks() from public;

drop trigger if exists tasks_are_written_down on public.job_tasks;
create trigger tasks_are_written_down instead of insert on public.job_tasks for each row execute function mill.insert_task();
drop trigger if exists tasks_are_begun on public.job_tasks;
create trigger tasks_are_begun after insert on public.job_tasks for each statement execute function mill.begin_inserted_tasks();
