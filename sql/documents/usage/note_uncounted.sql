create or replace function mill.note_uncounted(p_what text, p_arguments jsonb, p_sqlstate text, p_message text) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into mill.event (at, code, detail) values (mill.now(), 'usage_not_counted',
    jsonb_build_object('document', p_arguments -> 'document', 'event', p_arguments -> 'event', 'sqlstate', p_sqlstate, 'message', p_message));
  insert into mill.uncounted_usage (at, what, arguments, try_at) values (mill.now(), p_what, p_arguments, mill.now())
$$;

comment on function mill.note_uncounted(text, jsonb, text, text) is 'Keeps what could not be counted, as an event and for mill.count_again.';
revoke execute on function mill.note_uncounted(text, jsonb, text, text) from public;
