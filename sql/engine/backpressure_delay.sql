-- The rate limiter (issue 5) replaces this body: how long a job of this kind waits because its queue's provider is
-- past its threshold.
create or replace function mill.backpressure_delay(p_kind text) returns interval
language sql stable
return interval '0';

comment on function mill.backpressure_delay(text) is 'How long a new job of a kind is put off for its provider''s sake.';
revoke execute on function mill.backpressure_delay(text) from public;
