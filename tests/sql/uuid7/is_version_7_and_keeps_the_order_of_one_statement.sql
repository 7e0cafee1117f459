select plan(3);
create temp table made as select n, mill.uuid7('2030-01-01'::timestamptz + n * interval '1 microsecond') as id from generate_series(1, 1000) n;
select is((select count(distinct id) from made), 1000::bigint, 'all ids differ');
select is((select count(*) from made where substring(id::text, 15, 1) <> '7' or substring(id::text, 20, 1) !~ '[89ab]'),
  0::bigint, 'version 7, variant 10');
select is((select array_agg(n order by id) from made), (select array_agg(n order by n) from made), 'ids sort in the order in which they were made');
select * from finish();
