-- Exports: documents become PDFs that can be downloaded for seven days.
--
--   request_export ─► mill.export (what is asked for, with the document as it is now) and its job, of one id
--                        │ a worker: begin, progress, reserve a file, upload it, finish
--                        ▼
--   mill.export_file   every object that was, or may have been, written: its row is there before the object
--     writing ── finish ──► stored ── seven days ──► removing ── object deleted ──► gone, with its history
--        │                     └── the user deletes the history ──► deleted ──▲
--        └───────── the attempt came to nothing ──────▲
--   mill.export_history   what can be downloaded: a row exists only beside a file. public.export_history is the view of it
--   mill.export_event       what happened, in order: what listeners read
--
-- The job is the truth about who works on an export and how far it is. mill.export.ended is a copy of how it ended, so
-- that an export outlives its job's retention.
--
-- Lock order: the owner's lock (mill.lock_exports) before anything else here, then what the engine locks. Under it the
-- quota is exact, and the order of event ids within one owner is the order of commits: a listener that has seen an id
-- has seen all below it.
create table public.documents (
  id uuid primary key default gen_random_uuid(),
  owner uuid not null default auth.uid(),
  title text not null,
  version int not null default 1,
  data jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint title_is_there_and_short check (length(title) between 1 and 300),
  constraint version_counts_from_one check (version >= 1),
  constraint document_is_an_object check (jsonb_typeof(data) = 'object'),
  -- Of text, not of its compressed form: it is what a worker has to read.
  constraint document_has_at_most_one_mebibyte check (octet_length(data::text) <= 1048576)
);
comment on table public.documents is 'What is exported: resumes first. version counts changes of title and data.';
create index documents_owner on public.documents (owner, updated_at desc);

create table mill.export (
  id uuid primary key,
  owner uuid not null,
  document_id uuid references public.documents on delete set null,
  version int not null,
  title text not null,
  template text not null,
  options jsonb not null,
  -- The document when it was asked for: what is exported is that version, whatever becomes of it meanwhile.
  source jsonb,
  ended text,
  message text,
  created_at timestamptz not null,
  -- What a documented worker said about its result; see sql/compat/exports.
  result_url text,
  result_size int,
  result_pages int,
  constraint ended_as_a_job_ends check (ended in ('completed', 'failed', 'cancelled')),
  constraint source_is_kept_until_it_is_done check (source is not null or ended is not null)
);
comment on table mill.export is 'One row an export, under the id of its job.';
create index export_owner on mill.export (owner, id desc);
create index export_document on mill.export (document_id);
create index export_age on mill.export (created_at);

create table mill.export_batch (
  id uuid primary key,
  owner uuid not null,
  created_at timestamptz not null
);
comment on table mill.export_batch is 'Exports that were asked for together.';
create index export_batch_age on mill.export_batch (created_at);

create table mill.export_batch_item (
  batch_id uuid not null references mill.export_batch on delete cascade,
  position int not null,
  export_id uuid not null references mill.export on delete cascade,
  primary key (batch_id, position)
);
comment on table mill.export_batch_item is 'An export may be in several batches: the second found it pending.';
create index export_batch_item_export on mill.export_batch_item (export_id);

create table mill.export_event (
  export_id uuid not null references mill.export on delete cascade,
  id bigint generated always as identity,
  event text not null,
  data jsonb not null,
  at timestamptz not null,
  primary key (export_id, id),
  constraint event_is_known check (event in ('progress', 'completed', 'failed', 'cancelled'))
);
comment on table mill.export_event is 'What happened to an export, in order; see public.export_events.';

create table mill.export_file (
  path text primary key,
  export_id uuid not null references mill.export,
  attempt int not null,
  owner uuid not null,
  size bigint not null,
  state text not null default 'writing',
  created_at timestamptz not null,
  expires_at timestamptz,
  constraint file_state_is_known check (state in ('writing', 'stored', 'removing', 'deleted')),
  constraint a_stored_file_expires check (state <> 'stored' or expires_at is not null),
  constraint size_is_not_negative check (size >= 0)
);
comment on table mill.export_file is 'Every object of an export that was or may have been written. The row comes before the object and goes after it.';
create index export_file_owner on mill.export_file (owner) include (size, state);
create index export_file_export on mill.export_file (export_id);
create index export_file_expiry on mill.export_file (expires_at) where state = 'stored';
create index export_file_unfinished on mill.export_file (created_at) where state <> 'stored';

create table mill.export_day (
  owner uuid not null,
  day date not null,
  used int not null,
  primary key (owner, day)
);
comment on table mill.export_day is 'How many exports a user has asked for on a day, UTC.';

create table mill.export_history (
  id uuid primary key references mill.export,
  user_id uuid not null,
  document_id uuid references public.documents on delete set null,
  version int not null,
  format text not null default 'pdf',
  template text not null,
  file_name text not null,
  file_path text not null unique references mill.export_file on delete cascade,
  file_size bigint not null,
  page_count int not null,
  download_count int not null default 0,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  constraint format_is_pdf check (format = 'pdf'),
  constraint downloads_are_counted_up check (download_count >= 0)
);
comment on table mill.export_history is 'What can be downloaded. A row goes with its file; document_id is null once the document is gone.';
create index export_history_user on mill.export_history (user_id, created_at desc);
create index export_history_document on mill.export_history (document_id);

alter table public.documents enable row level security;
create policy documents_are_their_owners on public.documents for all to authenticated
  using (owner = (select auth.uid())) with check (owner = (select auth.uid()));
revoke all on public.documents from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.documents to service_role;
grant select, delete on public.documents to authenticated;
-- version, owner and the times are ours to set. The id of an existing document is refused by mill.count_document_version.
grant insert (id, title, data), update (id, title, data) on public.documents to authenticated;
