-- RFC 9562 version 7 with the microseconds in the 12 bits after the version, so that ids made a microsecond
-- apart keep their order. int2send(28672 + n) is the version nibble 7 followed by those 12 bits.
create or replace function mill.uuid7(p_at timestamptz default clock_timestamp()) returns uuid
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select encode(
    overlay(uuid_send(gen_random_uuid())
      placing substring(int8send(t.us / 1000) from 3) || int2send((28672 + (t.us % 1000) * 4096 / 1000)::int2)
      from 1 for 8),
    'hex')::uuid
  from (select (extract(epoch from p_at) * 1000000)::bigint) as t(us)
$$;

comment on function mill.uuid7(timestamptz) is 'A time-ordered id: inserts stay at the right edge of the index.';
revoke execute on function mill.uuid7(timestamptz) from public;
