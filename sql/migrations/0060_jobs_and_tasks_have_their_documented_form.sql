-- public.jobs becomes a view in the documented form, and its table moves to mill. Only names change: nothing is rewritten.
drop policy if exists users_see_their_own_jobs on public.jobs;
drop policy if exists users_create_under_their_own_id on public.jobs;
alter table public.jobs disable row level security;
revoke all on public.jobs from public, anon, authenticated, service_role;
alter table public.jobs set schema mill;
alter table mill.jobs rename to workflow;
alter table mill.workflow rename constraint jobs_pkey to workflow_pkey;
alter table mill.workflow rename constraint jobs_type_version_fkey to workflow_type_version_fkey;
-- Users no longer write to the table. Its other triggers stay.
do $$
declare
  v_name text;
begin
  for v_name in
    select t.tgname from pg_catalog.pg_trigger t
    where t.tgrelid = 'mill.workflow'::pg_catalog.regclass and not t.tgisinternal and pg_catalog.starts_with(t.tgname::text, 'users_wait_')
  loop
    execute pg_catalog.format('drop trigger %I on mill.workflow', v_name);
  end loop;
end
$$;
-- Postgres 18 names the constraints of columns that are not null after their table.
do $$
declare
  v_name text;
begin
  for v_name in
    select c.conname from pg_catalog.pg_constraint c
    where c.conrelid = 'mill.workflow'::pg_catalog.regclass and c.contype = 'n' and pg_catalog.starts_with(c.conname::text, 'jobs_')
  loop
    execute pg_catalog.format('alter table mill.workflow rename constraint %I to %I', v_name, 'workflow_' || pg_catalog.substr(v_name, 6));
  end loop;
end
$$;
comment on table mill.workflow is 'Jobs of many tasks, as public.jobs shows them.';

alter table mill.workflow_step add column is_inserted boolean not null default false;

create table mill.task_sequence (
  id uuid primary key,
  job_id uuid not null,
  kind text not null,
  sequence int not null,
  is_begun boolean not null default false
) with (fillfactor = 50);
comment on table mill.task_sequence is 'The tasks that were inserted into job_tasks, with their places.';
create index task_sequence_place on mill.task_sequence (job_id, kind, sequence);
create index task_sequence_new on mill.task_sequence (job_id) where not is_begun;

create table mill.task_need (
  kind text not null,
  needs text,
  reach text not null,
  constraint need_is_said_once unique nulls not distinct (kind, needs),
  constraint reach_is_known check (reach in ('nearest', 'all'))
);
comment on table mill.task_need is 'Whose output an inserted task needs, by kinds. A new rule is an INSERT.';

create table mill.task_claim (
  id uuid primary key,
  worker text not null,
  attempt int not null,
  heartbeat_at timestamptz
) with (fillfactor = 50);
comment on table mill.task_claim is 'The last claim of a task by a documented worker, and when the worker was last heard of.';

alter table public.job_artifacts drop constraint path_says_type_and_task;
alter table public.job_artifacts rename column type to artifact_type;
alter table public.job_artifacts rename column bytes to file_size_bytes;
alter table public.job_artifacts alter column file_size_bytes drop not null, alter column sha256 drop not null, add column public_url text, add column bucket text not null default 'gristmill';
grant insert (job_id, task_id, artifact_type, storage_path, public_url, file_size_bytes, duration_seconds, title) on public.job_artifacts to service_role;
