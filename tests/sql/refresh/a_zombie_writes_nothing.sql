-- include: rules/*.sql
select plan(5);
set mill.now = '2030-01-01 00:00+00';
update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds';
select public.queue_refresh_if_not_exists('AAA', 'quote');
create temp table zombie as select j from jsonb_array_elements(public.claim_refresh('zombie') -> 'jobs') j;
set mill.now = '2030-01-01 00:05+00';
select mill.reclaim();
create temp table heir as select j from jsonb_array_elements(public.claim_refresh('heir') -> 'jobs') j;
create function pg_temp.settle(p_worker text, p_job jsonb, p_price numeric) returns text language sql as $$
  select public.settle_refresh(p_worker, jsonb_build_array(jsonb_build_object('id', p_job -> 'id', 'attempt', p_job -> 'attempt', 'symbol', 'AAA',
    'data_type', 'quote', 'outcome', 'fetched', 'bytes', 10, 'called', true, 'rows', pg_temp.quote('AAA', mill.now(), p_price)))) #>> '{0,status}'
$$;
select is((select pg_temp.settle('zombie', j, 6.66) from zombie), 'lost', 'a worker that lost its lease is told so');
select ok(not exists (select from public.quotes) and not exists (select from public.api_data_usage), 'a worker that lost its lease has written nothing');
select is((select pg_temp.settle('heir', j, 10) from heir), 'accepted', 'its heir settles');
select is((select pg_temp.settle('heir', j, 11) from heir), 'lost', 'the heir of a lost lease settles only once');
select is((select price from public.quotes), 10::numeric, 'the heir of a lost lease writes what it fetched');
select * from finish();
