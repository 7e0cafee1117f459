create or replace function mill.duration_bucket(p_ms bigint) returns smallint
language sql immutable
return width_bucket(p_ms, array[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000, 1800000]::bigint[])::smallint;

comment on function mill.duration_bucket(bigint) is
  'The bucket of a duration in ms: 0 below 1, 1 below 2, 2 below 5, … 17 from half an hour on.';
revoke execute on function mill.duration_bucket(bigint) from public;
