-- A function that serves no refresh queue is not ours: its types wait in the queue that programs of the user serve.
create or replace function mill.is_our_fetcher(p_function text) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select exists (select from mill.queue q where q.queue ~ '^refresh(-|$)' and q.function = p_function) $$;

comment on function mill.is_our_fetcher(text) is 'Whether a function serves a refresh queue.';
revoke execute on function mill.is_our_fetcher(text) from public;

create or replace function mill.refresh_queue_of(p_function text, p_provider text) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select q.queue from mill.queue q
  where q.queue ~ '^refresh(-|$)' and q.provider = p_provider
    and (q.function = p_function or q.served_by = 'external' and not mill.is_our_fetcher(p_function))
  order by q.queue limit 1
$$;

comment on function mill.refresh_queue_of(text, text) is 'The refresh queue that a function, or a program of the user, serves for a provider; null where there is none.';
revoke execute on function mill.refresh_queue_of(text, text) from public;
