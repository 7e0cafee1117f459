create or replace function mill.refresh_queue_of(p_function text, p_provider text) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select q.queue from mill.queue q
  where q.queue ~ '^refresh(-|$)' and q.function = p_function and q.provider = p_provider
  order by q.queue limit 1
$$;

comment on function mill.refresh_queue_of(text, text) is 'The refresh queue that a function serves for a provider, or null.';
revoke execute on function mill.refresh_queue_of(text, text) from public;
