-- What a breaker judges: a function by its name or its URL, and where its queue asks a provider that pair. A provider that is down must not keep
-- the function from its other queues.
create or replace function mill.target_of(p_function text, p_provider text) returns text
language sql immutable
return case when p_provider is null then p_function else p_function || ':' || p_provider end;

comment on function mill.target_of(text, text) is 'The breaker''s name for a function and the provider that it asks, if any.';
revoke execute on function mill.target_of(text, text) from public;
