select plan(4);
create temp table answered as
select * from mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', jsonb_build_object('n', n)))
                            from generate_series(0, 99) n));
select is((select count(*) from answered where status = 'new'), 100::bigint, 'a hundred new jobs');
select is((select array_agg(ordinal order by ordinal) from answered), (select array_agg(n) from generate_series(0, 99) n),
  'one answer a job');
select is((select count(*) from answered a join mill.job j using (id) where (j.payload ->> 'n')::int = a.ordinal),
  100::bigint, 'each answer names its own job');
select is((select array_agg(distinct state) from mill.job), array['pending'], 'all are pending');
select * from finish();
