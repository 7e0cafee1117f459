create or replace function mill.export_storage_used(p_owner uuid) returns bigint
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  -- What is being written counts, and what is not removed yet: bytes are bytes. What the user has deleted counts no more, although its object
  -- lies there until the next cleanup.
  select coalesce(sum(f.size), 0)::bigint from mill.export_file f where f.owner = p_owner and f.state <> 'deleted'
$$;

comment on function mill.export_storage_used(uuid) is 'Bytes that a user''s exports occupy.';
revoke execute on function mill.export_storage_used(uuid) from public;
