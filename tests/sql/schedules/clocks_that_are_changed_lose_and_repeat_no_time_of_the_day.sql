select plan(9);
create function pg_temp.due(p_cron text, p_zone text, p_from timestamptz, p_hours int) returns text language sql as $$
  select string_agg(to_char(t at time zone 'UTC', 'HH24:MI'), ' ' order by t) from mill.cron_times(p_cron, p_zone, p_from, p_from + make_interval(hours => p_hours)) t $$;
-- New York, 8 March 2026: from 02:00 to 03:00 at 07:00 UTC. 1 November: from 02:00 back to 01:00 at 06:00 UTC.
select is(pg_temp.due('30 2 * * *', 'America/New_York', '2026-03-08 00:00-05', 12), '07:00', 'a time that clocks never show is due once, right after the gap');
select is(pg_temp.due('0,30 2,3 * * *', 'America/New_York', '2026-03-08 00:00-05', 12), '07:00 07:30', 'several of them, and the time at the end of the gap, are one due time');
select is(pg_temp.due('30 1 * * *', 'America/New_York', '2026-11-01 00:00-04', 12), '05:30', 'a time that clocks show twice is due once, the first time');
select is(pg_temp.due('15 0-2 * * *', 'America/New_York', '2026-11-01 00:00-04', 12), '04:15 05:15 07:15', 'each of a range of hours is due once when clocks show it twice');
select is(pg_temp.due('30 * * * *', 'America/New_York', '2026-11-01 00:00-04', 5), '04:30 05:30 06:30 07:30 08:30', 'what is due every hour stays so when clocks are put back');
select is(pg_temp.due('30 * * * *', 'America/New_York', '2026-03-08 00:00-05', 4), '05:30 06:30 07:30 08:30', 'what is due every hour stays so when clocks are put forward');
select is(pg_temp.due('0 2 * * *', 'Australia/Lord_Howe', '2026-10-04 00:00+10:30', 12), '15:30', 'a gap of half an hour ends after half an hour');
select is(pg_temp.due('0 0 30 12 *', 'Pacific/Apia', '2011-12-29 00:00-10', 72), '10:00', 'a day that a place left out is made up for at the beginning of the next');
select is(pg_temp.due('0 12 * * *', 'UTC', '2026-03-08 00:00+00', 24), '12:00', 'a zone without changes is left alone');
select * from finish();
