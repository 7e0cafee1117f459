-- RFC 9562 version 7 with the microseconds in the 12 bits after the version, so that ids made a microsecond
-- apart keep their order. 28672 + n is the version nibble 7 followed by those 12 bits.
--
-- The random half is the caller's, so that a batch pays for randomness once: gen_random_uuid() took 6 to 12 us
-- a row here, as much as the rest of an insert. Rows of one batch differ by their microsecond.
-- Bound when made and without a SET clause, so the planner inlines it. Text all the way, for a uuid is made only from text:
-- by way of bytea it took a thousand instructions more. The first digit is 0 until the year 2527.
create or replace function mill.uuid7_at(p_us bigint, p_random text) returns uuid
language sql immutable
return ('0' || to_hex(((p_us / 1000) << 16) | (28672 + (p_us % 1000) * 4096 / 1000)) || p_random)::uuid;

comment on function mill.uuid7_at(bigint, text) is 'The time-ordered id of a microsecond since 1970, with a random half from mill.uuid7_tail.';
revoke execute on function mill.uuid7_at(bigint, text) from public;

create or replace function mill.uuid7_tail() returns text
language sql volatile
return right(gen_random_uuid()::text, 17);

comment on function mill.uuid7_tail() is 'The random half of a time-ordered id, as text.';
revoke execute on function mill.uuid7_tail() from public;

create or replace function mill.uuid7(p_at timestamptz default clock_timestamp()) returns uuid
language sql volatile
return mill.uuid7_at((extract(epoch from p_at) * 1000000)::bigint, mill.uuid7_tail());

comment on function mill.uuid7(timestamptz) is 'A time-ordered id: inserts stay at the right edge of the index.';
revoke execute on function mill.uuid7(timestamptz) from public;
