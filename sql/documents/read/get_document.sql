-- What a stage met last is written to the document when its next attempt begins; until then the job that waits tells it.
create or replace function mill.waiting_error(p_file public.shell_files) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select mill.document_error(j.error, j.run_at)
  from mill.job_live j
  where j.dedupe_key = mill.stage_key(p_file.id, p_file.run, p_file.stage) and j.queue in ('fast', 'ai')
    and j.state in ('retrying', 'deferred') and j.error is not null
$$;
comment on function mill.waiting_error(public.shell_files) is 'The error after which a document''s stage waits for its next attempt, or null.';
revoke execute on function mill.waiting_error(public.shell_files) from public;

-- The functions say type and message, as every error of ours; the row says error_type and error_message, as the older system does.
create or replace function mill.shown_error(p_error jsonb) returns jsonb
language sql immutable
return p_error || jsonb_build_object('type', coalesce(p_error -> 'error_type', p_error -> 'type'),
  'message', coalesce(p_error -> 'error_message', p_error -> 'message'));
comment on function mill.shown_error(jsonb) is 'An entry of processing_error as the functions show it.';
revoke execute on function mill.shown_error(jsonb) from public;

-- Only while it waits for its review: what a person has decided is no reason any more.
create or replace function mill.doubt_reasons(p_file public.shell_files) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(r.reason order by r.times desc, r.reason), '[]')
  from (select d.reason, count(*) as times from public.document_doubts d
    where d.document_id = p_file.id and p_file.status = 'needs_review' group by d.reason) r
$$;
comment on function mill.doubt_reasons(public.shell_files) is 'Why a document needs review, as words, the most frequent first; empty for any other.';
revoke execute on function mill.doubt_reasons(public.shell_files) from public;

create or replace function mill.document_summary(p_file public.shell_files) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'id', p_file.id, 'profile_id', p_file.patient_id, 'filename', coalesce(p_file.original_filename, p_file.filename), 'mime_type', p_file.mime_type,
    'size', p_file.file_size_bytes, 'sha256', p_file.sha256, 'status', p_file.status, 'stage', p_file.stage,
    'percent', mill.document_percent(p_file.status, p_file.stage, (
      select j.progress from mill.job_live j
      where j.dedupe_key = mill.stage_key(p_file.id, p_file.run, p_file.stage) and j.queue in ('fast', 'ai'))),
    'page_count', p_file.page_count, 'reasons', mill.doubt_reasons(p_file), 'error', mill.shown_error(coalesce(mill.waiting_error(p_file), p_file.processing_error -> 'current_error')),
    'created_at', p_file.created_at, 'updated_at', p_file.updated_at, 'completed_at', p_file.completed_at)
$$;
comment on function mill.document_summary(public.shell_files) is 'A document as lists show it.';
revoke execute on function mill.document_summary(public.shell_files) from public;

create or replace function public.get_document(p_id uuid) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  -- Null for an unknown document and for another's alike.
  select mill.document_summary(f) || jsonb_build_object('verdict', f.verdict, 'review', f.review,
      'processing_error', f.processing_error || coalesce((
        select jsonb_build_object('current_error', w.error) from (select mill.waiting_error(f) as error) w where w.error is not null), '{}'))
    || public.document_content(f.id, array['entities', 'facts', 'narrative', 'doubts'])
  from mill.reached_document(p_id) f
  where f.id is not null
$$;
comment on function public.get_document(uuid) is 'A document of the caller''s with all that was found in it, or null.';
revoke execute on function public.get_document(uuid) from public, anon;
grant execute on function public.get_document(uuid) to authenticated, service_role;

create or replace function public.list_documents(p_profile_id uuid default null, p_before timestamptz default null, p_limit int default 50) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(mill.document_summary(f) order by f.created_at desc), '[]')
  from (
    select f.* from public.shell_files f
    where f.patient_id in (select public.accessible_profiles())
      and (p_profile_id is null or f.patient_id = p_profile_id) and (p_before is null or f.created_at < p_before)
    order by f.created_at desc limit least(greatest(p_limit, 1), 200)) f
$$;
comment on function public.list_documents(uuid, timestamptz, int) is 'The caller''s documents, newest first, without their content.';
revoke execute on function public.list_documents(uuid, timestamptz, int) from public, anon;
grant execute on function public.list_documents(uuid, timestamptz, int) to authenticated, service_role;

-- For server-sent events: the document's state when it changed after p_after. An id is a version, which grows with
-- every change, and the percent within the stage, which does not count as one.
create or replace function public.document_events(p_id uuid, p_after bigint default 0) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'ended', s.summary ->> 'status' in ('completed', 'needs_review', 'failed', 'refused', 'infected'),
    'events', case when s.id > p_after then jsonb_build_array(jsonb_build_object('id', s.id, 'event', 'progress', 'data', s.summary)) else '[]' end)
  from (
    select f.version * 128 + (mill.document_summary(f) ->> 'percent')::int as id, mill.document_summary(f) as summary
    from mill.reached_document(p_id) f
    where f.id is not null) s
$$;
comment on function public.document_events(uuid, bigint) is 'What happened to a document after an event: {events, ended}; null when there is no such document.';
revoke execute on function public.document_events(uuid, bigint) from public, anon;
grant execute on function public.document_events(uuid, bigint) to authenticated, service_role;
