-- include: rules/*.sql
select plan(5);
set mill.now = '2030-01-31 00:00+00';
update mill.settings set value = (1000 / 1073741824.0)::text where key = 'refresh.quota_gb'; -- 1000 bytes: 950 may be used
create function pg_temp.told(p_by text) returns bigint language sql as $$ select count(*) from mill.event where code = 'quota_exceeded' and detail ->> 'by' = p_by $$;
select public.queue_refresh_if_not_exists('AAA', 'quote', 5, 10);
insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes) values (mill.now() - interval '1 day', 'fmp', 'quote', 1, 949);
select public.claim_refresh('w') from generate_series(1, 3);
select is(pg_temp.told('claim'), 1::bigint, 'three batches that are given back are one event');
update mill.heartbeat set at = at - interval '61 seconds'; -- that clock is the real one
select public.claim_refresh('w') is not null as claimed;
select is(pg_temp.told('claim'), 2::bigint, 'a used-up quota is another event a minute later');
select ok((select attempt = 0 from mill.job_live), 'none of them cost the refresh an attempt');

select pg_temp.clear();
insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes) values (mill.now() - interval '1 day', 'fmp', 'quote', 1, 2000);
select public.claim_refresh('w') is not null as claimed;
select is(pg_temp.told('claim'), 0::bigint, 'where nothing waits, nothing is held back and nothing told');
select public.queue_refresh_if_not_exists(s, 'quote', 5, 10) from unnest(array['AAA', 'BBB', 'CCC']) s;
select is(pg_temp.told('producer'), 1::bigint, 'three producers that are sent away are one event');
select * from finish();
