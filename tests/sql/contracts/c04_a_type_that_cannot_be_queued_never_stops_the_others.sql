-- include: rules/*.sql
select plan(3);
insert into public.active_subscriptions_v2 (user_id, symbol, data_type, subscribed_at, last_seen_at)
select gen_random_uuid(), 'AAA', t, now(), now() from unnest(array['earnings', 'profile', 'quote']) t;
delete from mill.kind where kind = 'refresh.profile';
select lives_ok('select public.check_and_queue_stale_data_from_presence()', 'the pass goes on');
select is((select array_agg(kind order by kind) from mill.job_live), array['refresh.earnings', 'refresh.quote'], 'the types before and after it are queued');
select is((select array_agg(detail ->> 'data_type') from mill.event where code = 'queue_stale_failed'), array['profile'], 'and what failed is an event of its type');
select * from finish();
