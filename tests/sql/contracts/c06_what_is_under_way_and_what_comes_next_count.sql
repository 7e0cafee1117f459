-- include: rules/*.sql
select plan(7);
set mill.now = '2030-01-01 00:00+00';
create function pg_temp.quota() returns text language sql as $$ select mill.quota_in_flight() || ' under way, ' || mill.quota_next_batch() || ' next' $$;
select is(pg_temp.quota(), '0 under way, 0 next', 'of nothing');
select public.queue_refresh_if_not_exists('AAA', 'quote', 9, 1);
select public.queue_refresh_if_not_exists('BBB', 'profile', 5, 10);
select public.queue_refresh_if_not_exists('CCC', 'quote', 1, 100);
select mill.enqueue('[{"kind": "echo", "payload": {"estimated_size": 1000}}]');
select is(pg_temp.quota(), '0 under way, 111 next', 'refreshes that wait count once, whatever their priority, and jobs of other queues do not');
update mill.queue set batch_size = 2 where queue = 'refresh';
select is(pg_temp.quota(), '0 under way, 11 next', 'no more than a batch is next: those of the highest priority');
select jsonb_array_length(public.claim_refresh('w', 'refresh', 1) -> 'jobs') as claimed;
select is(pg_temp.quota(), '1 under way, 110 next', 'what was claimed is under way and no longer next');
update mill.queue set max_running = 5 where queue = 'default'; -- so that what runs of it is counted as well
select id as running from mill.claim('w', array['default'], 1);
select is(pg_temp.quota(), '1 under way, 110 next', 'a job of another queue that runs is not under way to a provider');
update mill.job_live set waits = true, state = 'deferred', run_at = mill.now() + interval '1 hour' where payload ->> 'symbol' = 'BBB';
select is(pg_temp.quota(), '1 under way, 100 next', 'what is put off is not next');
select public.settle_refresh('w', (select jsonb_agg(jsonb_build_object('id', j.id, 'attempt', j.attempt, 'outcome', 'completed')) from mill.job_live j where j.worker = 'w' and j.queue = 'refresh')) is not null as settled;
select is(pg_temp.quota(), '0 under way, 100 next', 'what is settled is under way no longer');
select * from finish();
