-- include: rules/*.sql
select plan(3);
set mill.now = '2030-01-01 12:00+00';
insert into public.active_subscriptions_v2 (user_id, symbol, data_type, subscribed_at, last_seen_at) values
  (gen_random_uuid(), 'AAA', 'quote', mill.now(), mill.now()), (gen_random_uuid(), 'AAA', 'quote', mill.now(), mill.now() - interval '6 minutes'),
  (gen_random_uuid(), 'BBB', 'quote', mill.now(), mill.now() - interval '6 minutes');
select is(public.refresh_analytics_from_presence_v2(), '{"counted": 1}', 'a symbol that nobody has looked at for five minutes is not counted');
select results_eq('select symbol, watchers from public.subscription_analytics', $$ values ('AAA', 1) $$, 'a watcher who has been silent for five minutes is not counted');
insert into mill.data_change (at, data_type, symbol) values (mill.now() - interval '61 minutes', 'quote', 'AAA'), (mill.now() - interval '59 minutes', 'quote', 'BBB');
select mill.cleanup_subscriptions();
select is((select array_agg(symbol) from mill.data_change), array['BBB'], 'who reads the changes can go back an hour');
select * from finish();
