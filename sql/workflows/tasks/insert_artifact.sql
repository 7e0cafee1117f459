-- A compat worker inserts what it has stored. It does not say whose the job is, and it may do the work of a worker that died after inserting: then
-- its row takes the place of the other. Rows with an id come from mill.keep_artifacts, which has judged them.
create or replace function mill.insert_artifact() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_state text;
begin
  select j.user_id, t.state into new.user_id, v_state
  from mill.task t join mill.workflow j on j.id = t.job_id where t.id = new.task_id and t.job_id = new.job_id;
  if not found then
    raise exception 'there is no such task of this job' using errcode = '23503';
  elsif v_state <> 'queued' or not exists (select from mill.job_live l where l.id = new.task_id and l.state = 'processing') then
    raise exception 'the task is not being worked on' using errcode = '55000', hint = 'Insert an artifact before its task is completed.';
  elsif not coalesce(new.storage_path ~ format('^%s/%s/%s(/[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*)+$', new.user_id, new.job_id,
    case when new.artifact_type like 'audio%' then 'audio' else new.artifact_type end), false)
  then
    raise exception 'storage_path must be {user}/{job}/audio|pdf|json/…, as the artifact_type says, of letters, digits, "-", "_" and "."' using errcode = '23514';
  end if;
  delete from public.job_artifacts a where a.storage_path = new.storage_path and a.task_id = new.task_id;
  new.id := mill.uuid7();
  new.created_at := mill.now();
  new.bucket := 'job-artifacts';
  return new;
end
$$;

comment on function mill.insert_artifact() is 'Completes and checks an artifact that a compat worker inserts.';
revoke execute on function mill.insert_artifact() from public;

drop trigger if exists artifacts_are_checked on public.job_artifacts;
create trigger artifacts_are_checked before insert on public.job_artifacts for each row when (new.id is null) execute function mill.insert_artifact();
