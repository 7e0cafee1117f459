-- Workflows: a job of many tasks.
--
--   workflow_definition ──validated──► mill.workflow_step      what a type of workflow is made of, one row a task
--        │ start                            │
--        ▼                                  ▼
--   mill.workflow 1 ── n  mill.step  1 ── n  mill.task          one row per job, per step of it, per item of the step
--                                            │ ready
--                                            ▼
--                                       mill.job (same id, parent = the job)
--
-- A step is a task of the definition within one job: it has one item, or as many as the list it fans out over. A definition without
-- tasks is for jobs whose tasks the service inserts into public.job_tasks: there a step is what has one kind, and its items are the inserted tasks.
--
-- public.jobs and public.job_tasks are views over these tables, in the compatible form (docs/compat.md).
--
--   step   waiting ──needs ended──► open ──all items ended──► completed, or partial when some failed or were skipped
--             └── a need is not completed ──► skipped
--   task   waiting ──► queued (an engine job now) ──► completed | failed | cancelled,   or waiting ──► skipped
--
-- Waiting tasks are rows here and not deferred jobs of the engine: a workflow of thousands of waiting tasks costs
-- claims nothing, and what a task produced outlives the engine's day partitions, so a job can be resumed later.
--
-- The engine writes what became of tasks into mill.ended, one row per batch and step, without touching the job. At
-- commit its hook decides (mill.advance_ended): what lets something start, or may have been the last of its
-- step, is folded into the job there and then, with everything else that lies there; what only adds to a count is left
-- to the next settlement. So batches of one long list do not wait for each other. Lock order: rows of the engine
-- first, then rows of mill.workflow by id, last in the transaction. Steps and tasks change only under the lock of their job.
create table public.workflow_definition (
  type text not null,
  version int not null default 1,
  description text not null default '',
  tasks jsonb not null,
  -- Beneath what the caller gives as params.
  defaults jsonb not null default '{}',
  -- The task whose items are counted as documents in the progress.
  documents text,
  open_to_users boolean not null default true,
  active boolean not null default true,
  created_at timestamptz not null default now(),
  -- JSON Schema of the params as they are after the defaults. What does not fit is refused when a job is started.
  params_schema jsonb,
  -- The same in the form in which params are checked.
  compiled_params jsonb,
  -- Lists of the defaults of which a param chooses: {"documents": {"field": "system", "among": "systems"}}.
  choices jsonb not null default '{}',
  primary key (type, version),
  constraint type_is_a_short_word check (type ~ '^[a-z][a-z0-9_-]{0,62}$'),
  constraint version_is_positive check (version > 0),
  constraint defaults_are_an_object check (jsonb_typeof(defaults) = 'object')
);
comment on table public.workflow_definition is
  'What a type of workflow is made of; a new workflow is an INSERT. The newest active version is started. See docs/add-a-workflow.md.';

create table mill.workflow_step (
  type text not null,
  version int not null,
  position int not null,
  key text not null,
  kind text not null,
  needs text[] not null,
  -- One item for each of this list: a path that begins with params or with the key of a task.
  for_each text[],
  -- One item for each of that step: item i after its item i.
  each_of text,
  -- The step at the head of a chain of each_of: steps of one family have the same items.
  family text,
  -- The input, cut at its references: see mill.template_pieces.
  pieces jsonb not null,
  weight numeric not null,
  phase text not null,
  on_failure text not null,
  compensation text,
  is_compensation boolean not null,
  tolerant boolean not null,
  max_attempts int,
  -- Its tasks were inserted into job_tasks, and wait for each other by their sequence.
  is_inserted boolean not null default false,
  primary key (type, version, key),
  foreign key (type, version) references public.workflow_definition on update cascade on delete cascade
);
comment on table mill.workflow_step is 'The tasks of the definitions, taken apart when a definition is written.';

create table mill.workflow (
  id uuid primary key,
  user_id uuid not null,
  type text not null,
  version int not null,
  params jsonb not null default '{}',
  status text not null default 'queued',
  percent smallint not null default 0,
  phase text not null default 'queued',
  docs_complete int not null default 0,
  docs_total int not null default 0,
  message text not null default '',
  -- Of the steps that nothing depends on, by key.
  output jsonb,
  error jsonb,
  compensating boolean not null default false,
  -- Tasks that could not be told to stop, because somebody held them: the tick tells them.
  stragglers boolean not null default false,
  priority int not null default 5,
  idempotency_key text,
  correlation_id text,
  -- Counts changes: the id of an event, and the ETag.
  revision bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  finished_at timestamptz,
  foreign key (type, version) references public.workflow_definition,
  constraint params_are_an_object check (jsonb_typeof(params) = 'object'),
  constraint status_is_known check (status in ('queued', 'processing', 'completed', 'failed', 'cancelled')),
  constraint percent_is_a_percentage check (percent between 0 and 100),
  constraint only_a_completed_job_is_at_100 check ((percent = 100) = (status = 'completed')),
  constraint a_finished_job_says_when check ((status in ('completed', 'failed', 'cancelled')) = (finished_at is not null)),
  constraint priority_is_between_minus_100_and_100 check (priority between -100 and 100),
  constraint idempotency_key_is_short check (length(idempotency_key) between 1 and 255)
) with (fillfactor = 50);
comment on table mill.workflow is 'Jobs of many tasks, as public.jobs shows them.';
create unique index jobs_idempotency on mill.workflow (user_id, idempotency_key) where idempotency_key is not null;
create index jobs_of_user on mill.workflow (user_id, created_at desc);
create index jobs_of_definition on mill.workflow (type, version);
create index jobs_by_end on mill.workflow (finished_at) where finished_at is not null;
create index jobs_with_stragglers on mill.workflow (id) where stragglers;

create table mill.step (
  job_id uuid not null references mill.workflow on delete cascade,
  key text not null,
  state text not null default 'waiting',
  -- Null until the list that it fans out over is known.
  total int,
  completed int not null default 0,
  failed int not null default 0,
  skipped int not null default 0,
  primary key (job_id, key),
  constraint step_state_is_known check (state in ('waiting', 'open', 'completed', 'partial', 'skipped')),
  constraint no_more_ended_than_there_are check (completed + failed + skipped <= total)
) with (fillfactor = 50);
comment on table mill.step is 'How far each step of a job is: counted as tasks settle, one update a batch.';

-- fillfactor leaves room for the second version of a row: its end stays on the page. No foreign key to the job: looking
-- that up for each of ten thousand items took as long as inserting them; mill.forget_tasks deletes them with it.
create table mill.task (
  id uuid primary key,
  job_id uuid not null,
  item int not null default 0,
  state text not null default 'waiting',
  finished_at timestamptz,
  key text not null,
  value jsonb,
  output jsonb,
  error jsonb,
  constraint task_state_is_known check (
    state in ('waiting', 'queued', 'completed', 'failed', 'cancelled', 'skipped'))
) with (fillfactor = 50);
comment on table mill.task is 'Every task of every job. A queued one is the engine''s job of the same id, or named in mill.ended. Item -1 stands for a list that was none.';
create unique index task_place on mill.task (job_id, key, item);

-- Apart from mill.task, because an index there would be read through by an upgrade while nobody could write.
create table mill.task_sequence (
  id uuid primary key,
  job_id uuid not null,
  kind text not null,
  sequence int not null,
  -- False within the statement that inserts it: until all of its tasks are there, nobody knows what waits for what.
  is_begun boolean not null default false
) with (fillfactor = 50);
comment on table mill.task_sequence is 'The tasks that were inserted into job_tasks, with their places.';
create index task_sequence_place on mill.task_sequence (job_id, kind, sequence);
create index task_sequence_new on mill.task_sequence (job_id) where not is_begun;

-- Which tasks of a lower sequence an inserted task waits for, by their kinds: the nearest of that kind, or all of them. A task of a kind
-- without a row here waits for nothing.
create table mill.task_need (
  kind text not null,
  -- Null: any kind.
  needs text,
  reach text not null,
  constraint need_is_said_once unique nulls not distinct (kind, needs),
  constraint reach_is_known check (reach in ('nearest', 'all'))
);
comment on table mill.task_need is 'Whose output an inserted task needs, by kinds. A new rule is an INSERT.';

-- Only claim_tasks, the compat claim, writes here.
create table mill.task_claim (
  id uuid primary key,
  worker text not null,
  attempt int not null,
  -- Null until the first heartbeat: a task is "claimed" until then, and "processing" afterwards.
  heartbeat_at timestamptz
) with (fillfactor = 50);
comment on table mill.task_claim is 'The last claim of a task by a compat worker, and when the worker was last heard of.';

create table public.job_artifacts (
  id uuid primary key,
  job_id uuid not null references mill.workflow on delete cascade,
  user_id uuid not null,
  task_id uuid not null,
  artifact_type text not null,
  storage_path text not null unique,
  file_size_bytes bigint,
  duration_seconds numeric,
  -- Null where a compat worker has inserted the row.
  sha256 text,
  title text,
  created_at timestamptz not null,
  -- As a compat worker gave it. Nothing of ours reads it: URLs are signed when asked for.
  public_url text,
  bucket text not null default 'gristmill',
  constraint type_is_known check (artifact_type in ('audio_mp3', 'audio_m4a', 'pdf', 'json')),
  constraint path_is_under_its_own_job check (starts_with(storage_path, user_id || '/' || job_id || '/')),
  constraint bytes_are_not_negative check (file_size_bytes >= 0),
  constraint duration_is_not_negative check (duration_seconds >= 0),
  constraint sha256_is_64_hex_digits check (sha256 ~ '^[0-9a-f]{64}$')
);
comment on table public.job_artifacts is 'What tasks made, by the path of the object in storage. Nothing here is signed: URLs are made when asked for.';
create index job_artifacts_of_job on public.job_artifacts (job_id);

-- Only RPCs change state: a user who could update a row could mark a job completed.
alter table public.workflow_definition enable row level security;
alter table public.job_artifacts enable row level security;
revoke all on public.workflow_definition, public.job_artifacts from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.workflow_definition to service_role;
grant select on public.job_artifacts to authenticated, service_role;
grant insert (job_id, task_id, artifact_type, storage_path, public_url, file_size_bytes, duration_seconds, title) on public.job_artifacts to service_role;
create policy users_see_their_own_artifacts on public.job_artifacts for select to authenticated using (user_id = (select auth.uid()));
