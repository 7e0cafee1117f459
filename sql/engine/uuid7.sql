-- RFC 9562 version 7 with the microseconds in the 12 bits after the version, so that ids made a microsecond
-- apart keep their order. 28672 + n is the version nibble 7 followed by those 12 bits.
--
-- The random half is the caller's, so that a batch pays for randomness once: gen_random_uuid() took 6 to 12 us
-- a row here, as much as the rest of an insert. Rows of one batch differ by their microsecond.
-- Bound when made and without a SET clause, so the planner inlines it: 1 us a row.
create or replace function mill.uuid7_at(p_us bigint, p_random bytea) returns uuid
language sql immutable
return encode(
  overlay(p_random
    placing int8send(((p_us / 1000) << 16) | (28672 + (p_us % 1000) * 4096 / 1000)) from 1 for 8),
  'hex')::uuid;

comment on function mill.uuid7_at(bigint, bytea) is 'The time-ordered id of a microsecond since 1970, with 16 random bytes.';
revoke execute on function mill.uuid7_at(bigint, bytea) from public;

create or replace function mill.uuid7(p_at timestamptz default clock_timestamp()) returns uuid
language sql volatile
return mill.uuid7_at((extract(epoch from p_at) * 1000000)::bigint, uuid_send(gen_random_uuid()));

comment on function mill.uuid7(timestamptz) is 'A time-ordered id: inserts stay at the right edge of the index.';
revoke execute on function mill.uuid7(timestamptz) from public;
