create or replace function mill.export_message(p_error jsonb) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case p_error ->> 'type'
    when 'worker_lost' then 'The export was interrupted several times. Please ask for it again.'
    when 'storage' then 'The file could not be stored. Please ask for it again later.'
    else coalesce(p_error ->> 'message', 'The export did not succeed. Please ask for it again.')
  end
$$;

comment on function mill.export_message(jsonb) is 'Why an export failed, as a person understands it.';
revoke execute on function mill.export_message(jsonb) from public;
