-- One term of a search of documents as a condition in SQL over a document f.
create or replace function mill.document_condition(p_term jsonb) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_key text := p_term ->> 'key';
begin
  return case
    when v_key in ('status', 'stage') then mill.search_condition(p_term, 'f.' || v_key, 'text')
    when v_key = 'type' then mill.search_condition(p_term, 'f.mime_type', 'text')
    when v_key = 'profile' then mill.search_condition(p_term, 'f.patient_id', 'uuid')
    when v_key = 'id' then mill.search_condition(p_term, 'f.id', 'uuid')
    when v_key in ('since', 'until') then mill.search_condition(p_term, 'f.created_at', v_key)
    when v_key = 'review' then format('(mill.document_review(f) -> ''reasons'' <> ''[]'') = %L', (p_term #>> '{values,0}' = 'yes') <> (p_term ->> 'not')::boolean)
    when p_term #>> '{values,0}' ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then mill.search_condition(p_term, 'f.id', 'uuid')
    else mill.search_condition(p_term, 'coalesce(f.original_filename, f.filename)', 'part') end;
end
$$;

comment on function mill.document_condition(jsonb) is 'One term of a search of documents as a condition in SQL.';
revoke execute on function mill.document_condition(jsonb) from public;

-- File names are shown to every role: without them nobody could find the document that a user asks about. What stands in it is masked.
create or replace function mill.console_document_row(p_file public.shell_files) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select mill.document_summary(p_file) || jsonb_build_object('run', p_file.run, 'review', mill.document_review(p_file), 'job', p_file.stage_jobs -> p_file.stage,
    'filename', left(coalesce(p_file.original_filename, p_file.filename), 300), 'uploaded_at', p_file.uploaded_at)
$$;

comment on function mill.console_document_row(public.shell_files) is 'A document as lists of the console show it.';
revoke execute on function mill.console_document_row(public.shell_files) from public;

-- Walks down the index of uploads, as console_jobs walks down ids: at most 2,000 documents and 200 ms per call. Files whose upload has not ended
-- stand before the first page. Beside the first page of a list without a search are the newest 50 that need review, whenever they were uploaded.
create or replace function public.console_documents(p_search text default '', p_cursor text default null, p_limit int default 50) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_role text := mill.require_console('viewer');
  v_terms jsonb := mill.search_terms(p_search, array['status', 'stage', 'type', 'profile', 'id', 'review', 'since', 'until']);
  v_condition text := coalesce((select string_agg(mill.document_condition(t), ' and ') from jsonb_array_elements(v_terms) t), 'true');
  v_limit int := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_until timestamptz := clock_timestamp() + interval '200 milliseconds';
  v_below timestamptz := coalesce(mill.search_time(p_cursor), 'infinity');
  v_documents jsonb := '[]'::jsonb;
  v_looked int := 0;
  v_found int;
  v_last timestamptz;
  v_last_match timestamptz;
  v_more jsonb;
begin
  if p_cursor is not null and v_below = 'infinity' then
    raise exception 'this RPC has not given this cursor' using errcode = 'GM110', hint = 'Send the cursor of the previous answer, or no cursor to begin anew.';
  end if;
  if p_cursor is null then
    execute format('select coalesce(jsonb_agg(mill.console_document_row(f) order by f.updated_at desc), ''[]'')
      from (select * from public.shell_files f where f.status in (''uploading'', ''erasing'') and f.uploaded_at is null and %s order by f.updated_at desc limit 20) f', v_condition)
    into v_documents;
  end if;
  loop
    execute format(
      'with w as materialized (select f.* from public.shell_files f where f.uploaded_at < $1 order by f.uploaded_at desc limit 100),
        m as (select * from w f where %s order by uploaded_at desc limit $2)
      select (select count(*) from w)::int as rows, (select min(uploaded_at) from w) as last, (select min(uploaded_at) from m) as last_match,
        (select coalesce(jsonb_agg(mill.console_document_row(m::public.shell_files) order by m.uploaded_at desc), ''[]'') from m) as documents', v_condition)
    into v_found, v_last, v_last_match, v_more using v_below, greatest(v_limit - jsonb_array_length(v_documents), 0);
    v_documents := v_documents || v_more;
    v_looked := v_looked + v_found;
    v_below := case when jsonb_array_length(v_documents) >= v_limit then coalesce(v_last_match, v_below) else coalesce(v_last, v_below) end;
    exit when v_found < 100 or jsonb_array_length(v_documents) >= v_limit or v_looked >= 2000 or clock_timestamp() > v_until;
  end loop;
  return jsonb_build_object('documents', v_documents, 'waiting', case when p_cursor is null and v_condition = 'true' then (
      select coalesce(jsonb_agg(mill.console_document_row(f) order by f.uploaded_at desc), '[]')
      from (select f.* from public.shell_files f where f.status = 'needs_review' order by f.uploaded_at desc limit 50) f) end,
    'looked', v_looked, 'query', v_terms,
    'done', v_found < 100 and jsonb_array_length(v_documents) < v_limit,
    'cursor', case when v_found = 100 or jsonb_array_length(v_documents) >= v_limit then to_char(v_below at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') end);
end
$$;

comment on function public.console_documents(text, text, int) is
  'Documents that match a search, newest upload first, with why a person should look at each: {documents, waiting, looked, done, cursor, query}. For viewers of the console.';
revoke execute on function public.console_documents(text, text, int) from public, anon;
grant execute on function public.console_documents(text, text, int) to authenticated, service_role;
