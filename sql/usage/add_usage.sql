-- The month's row is made by whatever counts first, and locked from here on: what is looked at next stays true.
create or replace function mill.add_usage(p_profile_id uuid, p_counts jsonb, p_now timestamptz) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into mill.usage_of_month as u (
    profile_id, month, files_uploaded, files_processed, pages, ai_tokens, ai_calls, ai_seconds, created_at, updated_at)
  select p_profile_id, mill.usage_month(p_now), coalesce(c.files, 0), coalesce(c.processed, 0), greatest(c.pages, 0),
    coalesce(c.ai_tokens, 0), coalesce(c.ai_calls, 0), coalesce(c.ai_seconds, 0), p_now, p_now
  from jsonb_to_record(p_counts) as c(files int, processed int, pages int, ai_tokens bigint, ai_calls int, ai_seconds numeric)
  on conflict (profile_id, month) do update set
    files_uploaded = u.files_uploaded + excluded.files_uploaded,
    files_processed = u.files_processed + excluded.files_processed,
    pages = greatest(u.pages + coalesce((p_counts ->> 'pages')::int, 0), 0), -- may be fewer than was estimated
    ai_tokens = u.ai_tokens + excluded.ai_tokens,
    ai_calls = u.ai_calls + excluded.ai_calls,
    ai_seconds = u.ai_seconds + excluded.ai_seconds,
    updated_at = p_now;
  insert into mill.stored_bytes as b (profile_id, bytes)
  select p_profile_id, greatest((p_counts ->> 'bytes')::bigint, 0) where p_counts ? 'bytes'
  on conflict (profile_id) do update set bytes = greatest(b.bytes + (p_counts ->> 'bytes')::bigint, 0)
$$;

comment on function mill.add_usage(uuid, jsonb, timestamptz) is
  'Adds {files, processed, pages, ai_tokens, ai_calls, ai_seconds, bytes} to a profile''s month and to what it has stored.';
revoke execute on function mill.add_usage(uuid, jsonb, timestamptz) from public;
