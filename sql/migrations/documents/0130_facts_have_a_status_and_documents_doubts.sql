-- The checks on kinds and states read their table once: a million facts take about a tenth of a second.
alter table public.shell_files add column review jsonb,
  drop constraint status_is_known,
  add constraint status_is_known check (status in
    ('uploading', 'uploaded', 'processing', 'completed', 'needs_review', 'failed', 'refused', 'infected', 'erasing'));
create index shell_files_to_review on public.shell_files (uploaded_at desc) where status = 'needs_review';
alter table public.document_pages add column orientation smallint, add column turned real not null default 0, add column language text, add column doubts jsonb not null default '[]',
  add constraint orientation_is_known check (orientation between 1 and 8),
  add constraint doubts_are_an_array check (jsonb_typeof(doubts) = 'array');
alter table public.document_entities drop constraint entity_kind_is_known,
  add constraint entity_kind_is_known check (kind in ('person', 'provider', 'date', 'condition', 'medication', 'lab',
    'allergy', 'procedure', 'finding', 'vital_sign', 'immunisation', 'appointment'));
comment on table public.document_entities is 'First pass: what a document speaks of, from people and dates to labs and appointments, with where it stands.';
alter table public.document_facts
  add column status text not null default 'current', add column certainty text not null default 'certain', add column decided_by jsonb, add column written text,
  add column doubts jsonb not null default '[]',
  drop constraint fact_kind_is_known,
  add constraint fact_kind_is_known check (kind in ('patient', 'provider', 'date', 'condition', 'medication', 'lab',
    'allergy', 'procedure', 'finding', 'vital_sign', 'immunisation', 'appointment')),
  add constraint status_is_known check (status in ('current', 'stopped', 'changed', 'historical', 'ruled_out', 'suspected', 'family', 'planned')),
  add constraint certainty_is_known check (certainty in ('certain', 'likely', 'possible')),
  add constraint doubts_are_an_array check (jsonb_typeof(doubts) = 'array');
comment on table public.document_facts is 'Second pass: what a document says, whether it holds now and how certain it is, with dose, unit, range and result, and a code where it is sure.';
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
alter table public.document_doubts enable row level security;
revoke all on public.document_doubts from public, anon, authenticated, service_role;
grant select on public.document_doubts to authenticated, service_role;
create table mill.document_language (
  profile_id uuid primary key references public.user_profiles on delete cascade,
  language text not null,
  constraint language_is_one_of_tesseract check (language ~ '^(script/)?[A-Za-z_]{3,40}(\+(script/)?[A-Za-z_]{3,40}){0,4}$')
);
comment on table mill.document_language is 'The language of a profile''s documents, in tesseract''s names: deu, deu+eng.';
-- One threshold for all becomes one each. What an operator has chosen becomes that of facts.
insert into mill.settings (key, value, type, description)
select 'documents.min_fact_confidence', s.value, 'number', 'A document with a fact of less confidence needs review'
from mill.settings s where s.key = 'documents.review_confidence' and s.value <> '0.85'
on conflict (key) do nothing;
delete from mill.settings s where s.key = 'documents.review_confidence';
