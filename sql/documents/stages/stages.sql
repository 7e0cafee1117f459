create or replace function mill.kind_of_stage(p_stage text) returns text
language sql immutable
return case when p_stage like 'pass%' then 'ai_queue_' else 'fast_queue_' end || p_stage;

comment on function mill.kind_of_stage(text) is 'The kind of job that a stage is.';
revoke execute on function mill.kind_of_stage(text) from public;

create or replace function mill.stage_of_kind(p_kind text) returns text
language sql immutable
return substring(p_kind from '^(?:fast|ai)_queue_(.+)$');

comment on function mill.stage_of_kind(text) is 'The stage that a kind of job is, or null.';
revoke execute on function mill.stage_of_kind(text) from public;

create or replace function mill.stage_number(p_stage text) returns int
language sql immutable
return array_position(array['security', 'ocr', 'spatial', 'pass1', 'pass2', 'pass3'], p_stage);

comment on function mill.stage_number(text) is 'Where a stage stands in the order of stages.';
revoke execute on function mill.stage_number(text) from public;

-- Jobs that a stage enqueues name their document as document_id; programs written for the compatible API say shell_file_id.
create or replace function mill.document_named(p_payload jsonb) returns uuid
language sql immutable
return case when coalesce(p_payload ->> 'document_id', p_payload ->> 'shell_file_id') ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
  then coalesce(p_payload ->> 'document_id', p_payload ->> 'shell_file_id')::uuid end;

comment on function mill.document_named(jsonb) is 'The document that a job''s payload names, or null when it names none.';
revoke execute on function mill.document_named(jsonb) from public;

create or replace function mill.stage_key(p_id uuid, p_run int, p_stage text) returns text
language sql immutable
return format('document:%s:%s:%s', p_id, p_run, p_stage);

comment on function mill.stage_key(uuid, int, text) is 'The dedupe key of a stage.';
revoke execute on function mill.stage_key(uuid, int, text) from public;

create or replace function mill.stage_after(p_stage text) returns text
language sql immutable
return case p_stage when 'security' then 'ocr' when 'ocr' then 'spatial' when 'spatial' then 'pass1'
  when 'pass1' then 'pass2' when 'pass2' then 'pass3' end;

comment on function mill.stage_after(text) is 'The stage that follows, or null after the last.';
revoke execute on function mill.stage_after(text) from public;

-- How far a document is, from where its stage begins and how far the stage's job is.
create or replace function mill.document_percent(p_status text, p_stage text, p_progress int) returns int
language sql immutable
return case
  when p_status in ('completed', 'needs_review') then 100
  when p_status = 'uploading' then 0
  else coalesce(
    case p_stage when 'security' then 2 when 'ocr' then 10 when 'spatial' then 60 when 'pass1' then 65 when 'pass2' then 80 when 'pass3' then 90 end
    + coalesce(p_progress, 0) * case p_stage when 'security' then 8 when 'ocr' then 50 when 'spatial' then 5 when 'pass1' then 15 else 10 end / 100, 0)
end;

comment on function mill.document_percent(text, text, int) is 'Percent of a document, for people.';
revoke execute on function mill.document_percent(text, text, int) from public;
