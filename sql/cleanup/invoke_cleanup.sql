create or replace function mill.invoke_cleanup() returns bigint
language sql
set search_path = pg_catalog, pg_temp
as $$ select mill.post_signed('cleanup', mill.uuid7(), jsonb_build_object('reason', 'schedule'), 120000) $$;

comment on function mill.invoke_cleanup() is 'Asks for one run of the cleanup function; null when nothing can send.';
revoke execute on function mill.invoke_cleanup() from public;
