create or replace function mill.release_storage(p_profile_id uuid, p_shell_file_id uuid) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  select mill.count_usage(p_profile_id, 'storage_used', 'removed ' || p_shell_file_id,
    jsonb_build_object('bytes', -(e.counts ->> 'bytes')::bigint), p_shell_file_id, p_blocks => false)
  from mill.usage_event e
  where e.profile_id = p_profile_id and e.event_type = 'shell_file_uploaded' and e.once_key = p_shell_file_id::text
$$;

comment on function mill.release_storage(uuid, uuid) is 'A file was erased: takes its bytes off what the profile has stored, once.';
revoke execute on function mill.release_storage(uuid, uuid) from public;
