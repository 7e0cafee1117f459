-- include: rules/*.sql
select plan(7);
set mill.now = '2030-01-01 00:00+00';
insert into public.active_subscriptions_v2 (user_id, symbol, data_type, subscribed_at, last_seen_at)
select gen_random_uuid(), s, 'quote', mill.now(), mill.now() from unnest(array['AAA', 'AAA', 'BBB', 'CCC']) s;
insert into public.active_subscriptions_v2 (user_id, symbol, data_type, subscribed_at, last_seen_at) values (gen_random_uuid(), 'AAA', 'quote', mill.now(), mill.now() - interval '6 minutes');
select is(mill.watched_symbols('', 2), array['AAA', 'BBB'], 'a stretch has no more symbols than were asked for, each once');
select is(mill.watched_symbols('BBB', 2), array['CCC'], 'the next one begins behind it');
select is(mill.watched_symbols('CCC', 2), '{}', 'the walk over the symbols comes to an end');
select is(mill.viewers('AAA', 'quote'), 2, 'a viewer who has been silent for five minutes is none');

-- What waits, waits for itself alone.
insert into mill.data_check (data_type, symbol, next_check_at, reason) values ('profile', 'AAA', mill.now() + interval '1 hour', 'unchanged'), ('quote', 'BBB', mill.now() + interval '1 hour', 'unchanged');
select is(mill.check_symbol('AAA', array['quote'], 5), 1, 'a pause of one data type is not one of another, and a pause of one symbol is not one of another');
select is(mill.check_symbol('AAA', array['profile'], 5) + mill.check_symbol('BBB', array['quote'], 5), 0, 'what waits is not asked for');

update public.data_type_registry set staleness_function = 'is_data_stale', table_name = 'quotes' where data_type = 'quote';
create function public.always_fails(timestamptz, int) returns boolean language plpgsql as $$ begin raise exception 'no'; end $$;
update public.data_type_registry set staleness_function = 'always_fails' where data_type = 'quote';
select mill.check_symbol(s, array['quote'], 5) from unnest(array['AAA', 'BBB', 'CCC']) s;
select is((select count(*)::int from mill.event where code = 'staleness_failed'), 1, 'a check that fails for every symbol is told once a minute');
select * from finish();
