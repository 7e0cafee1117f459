-- include: rules/*.sql
select plan(13);
create function pg_temp.give(p_at timestamptz, p_price numeric) returns text language sql as $$
  select pg_temp.refresh('AAA', jsonb_build_object('rows', pg_temp.quote('AAA', p_at, p_price)))
$$;
create function pg_temp.holds() returns boolean language plpgsql as $$
declare
  v_end text;
begin
  perform pg_temp.clear();
  perform set_config('mill.now', '2030-01-01 00:00+00', false);
  perform pg_temp.give('2030-01-01 00:00+00', 10);
  perform set_config('mill.now', '2030-01-01 00:02+00', false);
  v_end := pg_temp.give('2029-12-31 23:59+00', 9);
  return v_end = 'retrying older_source' and (select price = 10 from public.quotes);
end $$;
select ok(pg_temp.holds(), 'older is refused');
select pg_temp.caught('pg_temp.holds()', 'mill.write_rows', 's.theirs < s.ours', 'false');

select pg_temp.clear();
set mill.now = '2030-01-01 00:00+00';
select is(pg_temp.give('2030-01-01 00:00+00', 10), 'completed written', 'the first');
create temp table told as select * from mill.data_change;
set mill.now = '2030-01-01 00:05+00';
create function pg_temp.closed() returns boolean language plpgsql as $$
declare
  v_end text;
begin
  perform pg_temp.clear();
  perform set_config('mill.now', '2030-01-01 00:00+00', false);
  perform pg_temp.give('2030-01-01 00:00+00', 10);
  perform set_config('mill.now', '2030-01-01 00:05+00', false);
  v_end := pg_temp.give('2030-01-01 00:00+00', 11);
  return v_end = 'completed unchanged'
    and (select price = 10 and fetched_at = '2030-01-01 00:00+00' from public.quotes)
    and mill.check_symbol('AAA', array['quote'], 5) = 0;
end $$;
select ok(pg_temp.closed(), 'an equal time is unchanged: no failure, not called fresh, not asked again at once');
select is((select count(*) from mill.job_dead), 0::bigint, 'no dead letter');
set mill.now = '2030-01-01 00:06:01+00';
select is(mill.check_symbol('AAA', array['quote'], 5), 1, 'a symbol whose data was unchanged is asked again after the TTL');
select is(pg_temp.give('2030-01-01 00:06+00', 12), 'completed written', 'newer is written');
select is((select price from public.quotes), 12::numeric, 'newer source data is in the table');
delete from mill.job;
select is(pg_temp.give('2031-01-01 00:00+00', 13), 'retrying source_in_future', 'one from the future would make all that follows look old');
delete from mill.job;
select is(pg_temp.refresh('AAA', jsonb_build_object('rows', jsonb_set(pg_temp.quote('AAA', null), '{0,quoted_at}', 'null'))), 'retrying no_source_timestamp', 'source data without its time is refused');
select pg_temp.caught('pg_temp.closed()', 'mill.write_rows', 's.theirs = s.ours', 'false');
select pg_temp.caught('pg_temp.closed()', 'mill.write_rows', 'p_now + make_interval', 'p_now - make_interval');
select ok((select count(*) from told) = 1, 'a watcher was told once of the first');
select * from finish();
