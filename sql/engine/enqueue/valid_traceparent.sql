-- Inlined into its callers. A trace is a help, so one that is malformed is left out and fails nothing. Versions to come may append fields, ff is none,
-- and ids of zeros are none.
create or replace function mill.valid_traceparent(p_traceparent text) returns text
language sql immutable
return case when p_traceparent ~ '^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$' then p_traceparent end;

comment on function mill.valid_traceparent(text) is 'A traceparent of W3C Trace Context, or null for anything else.';
revoke execute on function mill.valid_traceparent(text) from public;
