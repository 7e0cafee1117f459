-- Every line that jobs stand in has a number and a floor, or no claim would look there. A queue's line of priority 5, which
-- is that of nearly all jobs, is made with the queue. Lock order: by queue and priority.
create or replace function mill.open_lines(p_jobs jsonb) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into mill.line (queue, priority)
  select distinct k.queue, (a.job ->> 'priority')::int
  from jsonb_array_elements(p_jobs) as a(job)
  join mill.kind k on k.kind = a.job ->> 'kind'
  where (a.job ->> 'priority')::int between -100 and 100
    and not exists (select from mill.line l where l.queue = k.queue and l.priority = (a.job ->> 'priority')::int)
  order by 1, 2
  on conflict do nothing
$$;

comment on function mill.open_lines(jsonb) is 'Makes the floors of the lines that a batch of jobs will stand in.';
revoke execute on function mill.open_lines(jsonb) from public;

create or replace function mill.open_line_on_new_queue() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into mill.line (queue, priority) values (new.queue, 5) on conflict do nothing;
  return null;
end
$$;

comment on function mill.open_line_on_new_queue() is 'A queue is made with the line of its usual priority.';
revoke execute on function mill.open_line_on_new_queue() from public, anon, authenticated;

drop trigger if exists open_line_on_new_queue on mill.queue;
create trigger open_line_on_new_queue after insert on mill.queue
for each row execute function mill.open_line_on_new_queue();

create or replace function mill.open_floor_on_new_line() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into mill.floor_version (line) values (new.line);
  return null;
end
$$;

comment on function mill.open_floor_on_new_line() is 'A line is made with its floor.';
revoke execute on function mill.open_floor_on_new_line() from public, anon, authenticated;

drop trigger if exists open_floor_on_new_line on mill.line;
create trigger open_floor_on_new_line after insert on mill.line
for each row execute function mill.open_floor_on_new_line();
