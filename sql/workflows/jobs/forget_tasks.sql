create or replace function mill.forget_tasks() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from mill.task_claim c where c.id in (select t.id from mill.task t where t.job_id = old.id);
  delete from mill.task_sequence s where s.job_id = old.id;
  delete from mill.task t where t.job_id = old.id;
  delete from mill.ended e where e.parent = old.id;
  return null;
end
$$;

comment on function mill.forget_tasks() is 'Deletes the tasks of a job that is deleted.';
revoke execute on function mill.forget_tasks() from public, anon, authenticated;

drop trigger if exists forget_tasks on mill.workflow;
create trigger forget_tasks after delete on mill.workflow for each row execute function mill.forget_tasks();
