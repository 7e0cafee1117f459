-- PostgREST and the gateway give the request's headers as a setting; outside of a request it is absent or empty.
create or replace function mill.correlation_id() returns text
language sql stable
return left(nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-correlation-id', 200);

comment on function mill.correlation_id() is 'The x-correlation-id of the request that this transaction serves, or null.';
revoke execute on function mill.correlation_id() from public;
