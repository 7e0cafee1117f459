-- include: rules/*.sql
select plan(10);
update mill.settings set value = (1000 / 1073741824.0)::text where key = 'refresh.quota_gb'; -- 1000 bytes: 950 may be used

-- 94.9% used, and a batch of p_size bytes.
create function pg_temp.prepare(p_size int) returns void language plpgsql as $$
begin
  perform pg_temp.clear();
  perform set_config('mill.now', '2030-01-31 00:00+00', false);
  perform public.queue_refresh_if_not_exists('AAA', 'quote', 5, p_size);
  insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes) values (mill.now() - interval '1 day', 'fmp', 'quote', 1, 949);
end $$;
create function pg_temp.holds() returns boolean language plpgsql as $$
declare
  v_stops boolean;
begin
  perform pg_temp.prepare(2);
  v_stops := public.is_quota_exceeded();
  v_stops := public.claim_refresh('w') -> 'jobs' = '[]' and v_stops;
  perform public.queue_refresh_if_not_exists('BBB', 'quote', 5, 1);
  return v_stops
    and not exists (select from mill.job_live where payload ->> 'symbol' = 'BBB')
    and (select state = 'pending' and attempt = 0 from mill.job_live where payload ->> 'symbol' = 'AAA')
    and exists (select from mill.event where code = 'quota_exceeded');
end $$;
select ok(pg_temp.holds(), 'a batch that would cross 95% is not served, no attempt is burned, producers stop');
select pg_temp.prepare(1);
select is(jsonb_array_length(public.claim_refresh('w') -> 'jobs'), 1, 'one that just fits is');
select ok(pg_temp.holds(), 'exceeded again');
set mill.now = '2030-03-02 00:00+00';
select ok(not public.is_quota_exceeded(), 'the window has slid');
select is(jsonb_array_length(public.claim_refresh('w') -> 'jobs'), 1, 'batches are served again when the window of the quota has slid');
select public.queue_refresh_if_not_exists('BBB', 'quote', 5, 1);
select ok(exists (select from mill.job_live where payload ->> 'symbol' = 'BBB'), 'producers queue again when the window of the quota has slid');
select pg_temp.caught('pg_temp.holds()', 'mill.is_quota_exceeded', '+ mill.quota_next_batch()', '');
select pg_temp.caught('pg_temp.holds()', 'mill.claim_refresh', '+ mill.quota_in_flight()', '');

select pg_temp.caught('pg_temp.holds()', 'mill.quota_limit', '* coalesce(p_safety_buffer, mill.setting(''refresh.quota_buffer'', ''0.95'')::numeric)', '');
select pg_temp.caught('pg_temp.holds()', 'mill.queue_refreshes', 'if mill.is_quota_exceeded()', 'if false');
select * from finish();
