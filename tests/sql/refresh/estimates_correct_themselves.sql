-- include: rules/*.sql
select plan(5);
set mill.now = '2030-01-01 00:00+00';
update public.data_type_registry set estimated_data_size_bytes = 0 where data_type = 'quote';
update mill.settings set value = '0' where key = 'refresh.estimate_share';
create function pg_temp.fetch(p_bytes int) returns bigint language plpgsql as $$
begin
  delete from mill.job;
  delete from public.quotes;
  perform pg_temp.refresh('AAA', jsonb_build_object('rows', pg_temp.quote('AAA', mill.now()), 'bytes', p_bytes));
  return (select estimated_data_size_bytes from public.data_type_registry where data_type = 'quote');
end $$;
select is(pg_temp.fetch(1000), 1000::bigint, 'a zero takes the first actual');
select is(pg_temp.fetch(2000), 1000::bigint, 'most completions leave it');
update mill.settings set value = '1' where key = 'refresh.estimate_share';
select is(pg_temp.fetch(2000), 1100::bigint, 'a completion that is drawn moves the estimate by a tenth');
select ok(not exists (select from mill.event where code = 'estimate_exceeded'), 'an answer of twice the estimate is no surprise');
select pg_temp.fetch(9000) is not null as fetched;
select ok(exists (select from mill.event where code = 'estimate_exceeded'), 'more is an event');
select * from finish();
