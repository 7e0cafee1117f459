select plan(17);
create function pg_temp.problem(p_cron text) returns text language sql as $$ select problem from mill.parse_cron(p_cron) $$;
select is((select minutes from mill.parse_cron('*/20 * * * *')), '{0,20,40}', 'a star may have a step');
select is((select hours from mill.parse_cron('0 9-17/4,22 * * *')), '{9,13,17,22}', 'a range may have a step, and a list may have ranges');
select is((select months from mill.parse_cron('0 0 1 JAN,jul-sep *')), '{1,7,8,9}', 'months have names');
select is((select weekdays from mill.parse_cron('0 0 * * fri-7')), '{0,5,6}', 'weekdays have names, and 7 is Sunday');
select is(pg_temp.problem('0 0 * * 1'), null, 'what can be read has no problem');
select matches(pg_temp.problem('0 0 * *'), 'five fields', 'four fields are refused');
select matches(pg_temp.problem('0 0 * * * *'), 'five fields', 'six fields are refused');
select matches(pg_temp.problem('60 0 * * *'), 'a minute that cannot be read: 60', 'a number out of range is refused with its field');
select matches(pg_temp.problem('0 22-2 * * *'), 'an hour that cannot be read: 22-2', 'a range that runs backwards is refused');
select matches(pg_temp.problem('0 0 0 * *'), 'a day of the month that cannot be read: 0', 'a day 0 is refused');
select matches(pg_temp.problem('5/15 * * * *'), 'a minute that cannot be read: 5/15', 'a step on a single number, which programs read in two ways, is refused');
select matches(pg_temp.problem('*/0 * * * *'), 'a minute', 'a step of 0 is refused');
select matches(pg_temp.problem('0 0 * foo *'), 'a month that cannot be read: foo', 'an unknown name is refused');
select matches(pg_temp.problem('0 0 * * sunday'), 'a weekday that cannot be read: sunday', 'names have three letters');
select matches(pg_temp.problem('1,,2 0 * * *'), 'a minute', 'an empty item is refused');
select is((select array_agg(t::date order by t) from mill.cron_times('0 0 13 * 5', 'UTC', '2026-11-01', '2026-11-21') t), '{2026-11-06,2026-11-13,2026-11-20}',
  'where a day of the month and a weekday are given, either is enough');
select is((select array_agg(t::date order by t) from mill.cron_times('0 0 13 * *', 'UTC', '2026-11-01', '2026-12-21') t), '{2026-11-13,2026-12-13}',
  'where one of them is a star, only the other counts');
select * from finish();
