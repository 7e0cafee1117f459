select plan(15);
create function pg_temp.judged(p_now timestamptz) returns text[] language plpgsql as $$
begin
  perform set_config('mill.now', p_now::text, false);
  perform mill.judge_alerts();
  return (select coalesce(array_agg(a.rule || ' ' || a.subject || ' ' || a.state order by a.rule), '{}') from mill.alert a
          where a.fired_at = p_now and a.state = 'firing' or a.resolved_at = p_now);
end $$;
create function pg_temp.used(p_at timestamptz, p_calls bigint, p_bytes bigint) returns void language sql as $$
  insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes) values (p_at, 'fmp', 'quote', p_calls, p_bytes) $$;
select pg_temp.used('2030-01-01 00:00+00', 1, (14.9 * 1073741824)::bigint);
select is(pg_temp.judged('2030-01-01 00:10+00'), '{}', 'under three quarters of the quota');
select pg_temp.used('2030-01-01 00:20+00', 1, (0.2 * 1073741824)::bigint);
select is(pg_temp.judged('2030-01-01 00:30+00'), array['quota_75 data firing'], 'three quarters');
select pg_temp.used('2030-01-01 00:40+00', 1, 3 * 1073741824::bigint);
select is(pg_temp.judged('2030-01-01 00:50+00'), array['quota_90 data firing'], 'nine tenths');
select is(pg_temp.judged('2030-02-01 00:50+00'), array['quota_75 data resolved', 'quota_90 data resolved'], 'resolved when the window has passed');

select pg_temp.used('2030-02-02 00:00:10+00', 250, 1);
select is(pg_temp.judged('2030-02-02 00:00:30+00'), '{}', '250 calls a minute are allowed');
select pg_temp.used('2030-02-02 00:00:40+00', 1, 1);
select is(pg_temp.judged('2030-02-02 00:00:50+00'), array['call_rate fmp firing'], 'over 250 are not');
select is(pg_temp.judged('2030-02-02 00:03+00'), array['call_rate fmp resolved'], 'call_rate is resolved when the busy minute has passed');

insert into mill.event (at, code, detail) values ('2030-02-02 01:00+00', 'estimate_exceeded', '{"data_type": "quote", "bytes": 1300, "estimate": 600}');
select is(pg_temp.judged('2030-02-02 01:00+00'), array['estimate_exceeded quote firing'], 'over twice the estimate');
select is(pg_temp.judged('2030-02-02 02:01+00'), array['estimate_exceeded quote resolved'], 'the alert is resolved when there was nothing over the estimate for an hour');

insert into public.supported_symbols (symbol) values ('ZZZT') on conflict do nothing;
insert into public.active_subscriptions_v2 values (gen_random_uuid(), 'ZZZT', 'quote', '2030-02-02 03:00+00', '2030-02-03 03:00+00');
select is(pg_temp.judged('2030-02-03 03:00:01+00'), array['no_refresh quote firing'], 'watched for a day and never fetched');
select pg_temp.used('2030-02-03 03:00:02+00', 1, 1);
delete from public.active_subscriptions_v2;
insert into public.active_subscriptions_v2 values (gen_random_uuid(), 'ZZZT', 'quote', '2030-02-02 03:30+00', '2030-02-03 04:00+00');
select is(pg_temp.judged('2030-02-03 03:30:02+00'), '{}', 'an answer that was refused, or another watcher, is no refresh');
-- Three batches whose jobs are held by a worker, as settle_refresh ends them.
create function pg_temp.settled(p_now timestamptz, p_outcome jsonb) returns void language plpgsql as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform set_config('mill.now', p_now::text, false);
  perform mill.note_refreshed(jsonb_build_array(p_outcome || jsonb_build_object('id', v_id)),
    jsonb_build_object(v_id::text, '{"data_type": "quote", "symbol": "ZZZT"}'::jsonb), p_now);
end $$;
select pg_temp.settled(t, '{"outcome": "failed", "error": {"type": "wrong_symbol"}}') from generate_series('2030-02-03 03:40+00'::timestamptz, '2030-02-03 03:44+00', '1 minute') t;
select is(pg_temp.judged('2030-02-03 03:45+00'), array['data_type_warnings quote firing'], 'five refused answers of a type in an hour');
select pg_temp.settled('2030-02-03 03:46+00', '{"outcome": "completed"}');
select is(pg_temp.judged('2030-02-03 03:46+00'), array['no_refresh quote resolved'], 'a good answer is a refresh');

delete from public.active_subscriptions_v2;
-- The session's lock, as a staleness pass holds it that began long ago.
select pg_temp.judged('2030-03-09 00:00+00'); -- what was open is over
select pg_advisory_lock(7022341640271841);
select is(pg_temp.judged('2030-03-10 00:00+00'), array['stale_lock_held check-stale-data firing'], 'a staleness pass that holds its lock for over ten minutes');
select pg_advisory_unlock(7022341640271841);
select is(pg_temp.judged('2030-03-10 00:01+00'), array['stale_lock_held check-stale-data resolved'], 'stale_lock_held is resolved when the pass lets go of its lock');
select * from finish();
