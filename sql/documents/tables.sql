-- Documents. A row of shell_files is one uploaded file; everything read out of it hangs on that row and goes with it.
--
--   uploading ──finish──► uploaded ──► processing ──► completed
--       │ never finished       stage by stage   │──► needs_review ──review──► completed      what was read is in doubt
--       ▼                                       │──► failed      retries used up; POST /{id}/reprocess starts over
--     gone                                      │──► refused     not a file that we read
--                                               └──► infected    quarantined
--   any ──► erasing ──► gone
--
-- Stages are jobs: security, ocr, spatial, pass1, pass2, pass3. A stage writes its rows, moves the document on and
-- enqueues the next stage in one transaction, fenced by its job's lease, so that a repeated attempt changes nothing.
-- run counts reprocessings: a job of an earlier run is refused.
--
-- A file is stored twice on its way. The upload stores it at upload_path, where the owner's token may write once. The security stage
-- reads it, measures it, and writes the very bytes that it has scanned to a place that no user's token can ever write.
-- That place becomes storage_path, and scanned_at says so. Only such a file is given out.
--
-- Boxes are fractions of the page, {left, top, right, bottom}: they fit every rendering of it.
--
-- Lock order: a job's row, then its document's.
create table public.shell_files (
  id uuid primary key,
  patient_id uuid not null references public.user_profiles,
  uploaded_by uuid,
  filename text not null,
  original_filename text,
  file_size_bytes bigint,
  mime_type text not null,
  storage_path text,
  upload_path text,
  sha256 text,
  page_count int,
  status text not null default 'uploading',
  stage text,
  -- Which job works on the current stage, and which job did each earlier stage of this run: {stage: job}.
  stage_jobs jsonb not null default '{}',
  run int not null default 1,
  version bigint not null default 1,
  idempotency_key text,
  verdict jsonb,
  processing_error jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  uploaded_at timestamptz,
  scanned_at timestamptz,
  completed_at timestamptz,
  -- The bucket of upload_path and storage_path. What the function upload takes lies in gristmill.
  bucket text not null default 'gristmill',
  -- How a person has ended the review of the current run: {decision, note, by, at}.
  review jsonb,
  constraint status_is_known check (status in
    ('uploading', 'uploaded', 'processing', 'completed', 'needs_review', 'failed', 'refused', 'infected', 'erasing')),
  constraint stage_is_known check (stage in ('security', 'ocr', 'spatial', 'pass1', 'pass2', 'pass3')),
  constraint an_uploaded_file_has_a_place check (status in ('uploading', 'erasing') or storage_path is not null),
  constraint a_size_is_not_negative check (file_size_bytes >= 0),
  -- 512 characters of the client's after the profile and a colon: at most 2,085 bytes, and an index takes 2,704.
  constraint a_key_is_short check (length(idempotency_key) between 38 and 549),
  constraint names_are_short check (length(filename) <= 300 and length(original_filename) <= 300),
  -- Per profile, never globally: mill.own_key puts the profile before each key. The index is on the key alone, because documented
  -- clients upsert with onConflict: 'idempotency_key'.
  constraint a_key_names_one_document unique (idempotency_key)
);
comment on table public.shell_files is
  'One row per uploaded file. storage_path is made by the server; the client''s file name is metadata only. Until scanned_at is set, size, type and digest are what the uploader said; from then on they were measured.';
create index shell_files_patient on public.shell_files (patient_id, created_at desc);
create index shell_files_unfinished on public.shell_files (updated_at) where status in ('uploading', 'erasing');
create index shell_files_uploaded on public.shell_files (uploaded_at);
create index shell_files_to_review on public.shell_files (uploaded_at desc) where status = 'needs_review';

-- Each attempt to upload has a place of its own, so that a late one cannot overwrite what was registered.
create table mill.document_upload (
  place text primary key,
  document_id uuid not null references public.shell_files on delete cascade,
  begun_at timestamptz not null,
  -- True for the place where the worker stores what it has scanned. Users never write there.
  is_copy boolean not null default false,
  -- When the sweep last found no object there: those that it has not looked at come first.
  looked_at timestamptz
);
comment on table mill.document_upload is 'Places where an object may be written: uploads that were begun and neither finished nor abandoned, and copies of scanned files. mill.document_sweep decides what becomes of old ones.';
create index document_upload_document on mill.document_upload (document_id);
create index document_upload_age on mill.document_upload (begun_at);

create table public.document_pages (
  document_id uuid not null references public.shell_files on delete cascade,
  page_number int not null,
  source text not null,
  width real not null,
  height real not null,
  confidence real,
  text text not null,
  -- The job that read it. A later try of the same job does not read the page again.
  job_id uuid,
  -- The EXIF orientation that the file states, 1 to 8. Whoever shows the file applies it too.
  orientation smallint,
  -- Degrees, clockwise, by which the page was turned to be read, beyond what its orientation says. Boxes are those of the page after it was turned.
  turned real not null default 0,
  -- What tesseract read it as: deu+eng.
  language text,
  doubts jsonb not null default '[]',
  primary key (document_id, page_number),
  constraint orientation_is_known check (orientation between 1 and 8),
  constraint doubts_are_an_array check (jsonb_typeof(doubts) = 'array'),
  constraint source_is_known check (source in ('text_layer', 'tesseract', 'google_vision', 'plain'))
);
comment on table public.document_pages is 'What a page says. width and height in points, or pixels of the image.';

create table public.document_words (
  document_id uuid not null,
  page_number int not null,
  word_number int not null,
  text text not null,
  box real[] not null,
  confidence real,
  line_number int,
  primary key (document_id, page_number, word_number),
  foreign key (document_id, page_number) references public.document_pages on delete cascade,
  constraint a_box_has_four_sides check (cardinality(box) = 4)
);
comment on table public.document_words is 'Each word of a page with its box.';

create table public.document_blocks (
  document_id uuid not null references public.shell_files on delete cascade,
  block_number int not null,
  page_number int not null,
  kind text not null,
  text text not null,
  content jsonb not null default '{}',
  box real[] not null,
  primary key (document_id, block_number),
  constraint block_kind_is_known check (kind in ('line', 'block', 'pair', 'row')),
  constraint a_box_has_four_sides check (cardinality(box) = 4)
);
comment on table public.document_blocks is 'What geometry alone says: lines, blocks, key-value pairs, rows of tables.';

create table public.document_entities (
  document_id uuid not null references public.shell_files on delete cascade,
  entity_number int not null,
  kind text not null,
  text text not null,
  detail jsonb not null default '{}',
  page_number int,
  box real[],
  confidence real,
  primary key (document_id, entity_number),
  constraint entity_kind_is_known check (kind in ('person', 'provider', 'date', 'condition', 'medication', 'lab',
    'allergy', 'procedure', 'finding', 'vital_sign', 'immunisation', 'appointment'))
);
comment on table public.document_entities is 'First pass: what a document speaks of, from people and dates to labs and appointments, with where it stands.';

create table public.document_facts (
  document_id uuid not null references public.shell_files on delete cascade,
  fact_number int not null,
  kind text not null,
  name text not null,
  value jsonb not null,
  code_system text,
  code text,
  page_number int,
  box real[],
  confidence real,
  -- Whether it holds now: a stopped medication and a condition of the family are facts too.
  status text not null default 'current',
  certainty text not null default 'certain',
  -- The words that decided status or certainty: {text, page, box}. Null where nothing but the default did.
  decided_by jsonb,
  -- The words of the page that say it, as they stand there.
  written text,
  doubts jsonb not null default '[]',
  primary key (document_id, fact_number),
  constraint fact_kind_is_known check (kind in ('patient', 'provider', 'date', 'condition', 'medication', 'lab',
    'allergy', 'procedure', 'finding', 'vital_sign', 'immunisation', 'appointment')),
  constraint a_code_has_a_system check ((code is null) = (code_system is null)),
  constraint status_is_known check (status in ('current', 'stopped', 'changed', 'historical', 'ruled_out', 'suspected', 'family', 'planned')),
  constraint certainty_is_known check (certainty in ('certain', 'likely', 'possible')),
  constraint doubts_are_an_array check (jsonb_typeof(doubts) = 'array')
);
comment on table public.document_facts is 'Second pass: what a document says, whether it holds now and how certain it is, with dose, unit, range and result, and a code where it is sure.';

-- Each reason why a person should compare what was read with the page. A stage that runs again replaces its own.
create table public.document_doubts (
  document_id uuid not null references public.shell_files on delete cascade,
  doubt_number int not null,
  stage text not null,
  reason text not null,
  page_number int,
  box real[],
  text text,
  fact_number int,
  primary key (document_id, doubt_number),
  constraint stage_is_known check (stage in ('security', 'ocr', 'spatial', 'pass1', 'pass2', 'pass3')),
  constraint reason_is_a_word check (reason ~ '^[a-z][a-z_]{2,59}$'),
  constraint a_box_has_four_sides check (cardinality(box) = 4)
);
comment on table public.document_doubts is 'Why a document needs review. One that ends with a doubt ends as needs_review instead of completed.';

create table public.document_narratives (
  document_id uuid primary key references public.shell_files on delete cascade,
  sentences jsonb not null,
  timeline jsonb not null,
  constraint sentences_are_an_array check (jsonb_typeof(sentences) = 'array'),
  constraint timeline_is_an_array check (jsonb_typeof(timeline) = 'array')
);
comment on table public.document_narratives is 'Third pass: sentences and a timeline, each entry citing the numbers of its facts.';

-- Only kept where documents.keep_raw_answers is on.
create table mill.document_raw (
  document_id uuid not null references public.shell_files on delete cascade,
  stage text not null,
  at timestamptz not null,
  answer text
);
comment on table mill.document_raw is 'Raw answers of models, where an operator has asked for them. Never logged. The prompt is what the stage before wrote.';

alter table public.shell_files enable row level security;
alter table public.document_pages enable row level security;
alter table public.document_words enable row level security;
alter table public.document_blocks enable row level security;
alter table public.document_entities enable row level security;
alter table public.document_facts enable row level security;
alter table public.document_narratives enable row level security;
alter table public.document_doubts enable row level security;
revoke all on public.shell_files, public.document_pages, public.document_words, public.document_blocks, public.document_entities,
  public.document_facts, public.document_narratives, public.document_doubts from public, anon, authenticated, service_role;
grant select on public.shell_files, public.document_pages, public.document_words, public.document_blocks, public.document_entities,
  public.document_facts, public.document_narratives, public.document_doubts to authenticated, service_role;

-- Usage that could not be counted when it happened: a deadlock, a full disk, a damaged function. Counting must not fail the work, so it waits here.
create table mill.uncounted_usage (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  what text not null,
  arguments jsonb not null,
  tries int not null default 0,
  try_at timestamptz not null,
  constraint what_is_known check (what in ('count', 'measure', 'process', 'release'))
);
comment on table mill.uncounted_usage is 'Usage of documents that is still to be counted, with what the count is given. mill.count_again counts it.';
create index uncounted_usage_due on mill.uncounted_usage (try_at);

-- What a profile's pages are read as, where it is another language than documents.language says.
create table mill.document_language (
  profile_id uuid primary key references public.user_profiles on delete cascade,
  language text not null,
  constraint language_is_one_of_tesseract check (language ~ '^(script/)?[A-Za-z_]{3,40}(\+(script/)?[A-Za-z_]{3,40}){0,4}$')
);
comment on table mill.document_language is 'The language of a profile''s documents, in tesseract''s names: deu, deu+eng.';
