-- What Postgres itself never calls, storage and the function health, is asked by GET, so that an outage is an alert although nobody uses it at the
-- moment. An address that has never answered well is not ours, or not deployed: it is asked on, and its silence is no fault.
--
-- What is known of an address is a row of mill.heartbeat: at is when it was asked last; detail has request while the answer is awaited, is_known,
-- failures in a row, and the last failure.
create or replace function mill.probe_address(p_name text, p_url text, p_good int[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_pause interval := make_interval(secs => mill.setting('health.probe_seconds', '20')::double precision);
  v_at timestamptz;
  v_known jsonb;
  v_answer record;
  v_failure text;
begin
  if p_url is null or v_pause <= interval '0' or to_regproc('net.http_get') is null then
    return;
  end if;
  select h.at, h.detail into v_at, v_known from mill.heartbeat h where h.part = 'probe_' || p_name;
  if v_known ? 'request' then
    select r.status_code, r.error_msg into v_answer from net._http_response r where r.id = (v_known ->> 'request')::bigint;
    if not found and v_at > v_now - interval '15 seconds' then
      return;
    end if;
    v_failure := case when v_answer.status_code = any (p_good) then null
      else coalesce('answered ' || v_answer.status_code, v_answer.error_msg, 'no answer') end;
    v_known := jsonb_build_object('failure', v_failure,
      'failures', case when v_failure is null then 0 else coalesce((v_known ->> 'failures')::int, 0) + 1 end,
      'is_known', v_failure is null or coalesce((v_known ->> 'is_known')::boolean, false));
  end if;
  v_pause := case when (v_known ->> 'failures')::int in (1, 2) then interval '4 seconds' else v_pause end;
  if v_at > v_now - v_pause then
    update mill.heartbeat h set detail = v_known where h.part = 'probe_' || p_name and h.detail <> v_known;
    return;
  end if;
  perform mill.record_heartbeat('probe_' || p_name,
    coalesce(v_known, '{}') || jsonb_build_object('request', net.http_get(url => p_url, timeout_milliseconds => 10000)));
end
$$;

comment on function mill.probe_address(text, text, int[]) is 'Asks an address that was not asked for health.probe_seconds, and notes its answer when it has come. p_good: the statuses of a good answer.';
revoke execute on function mill.probe_address(text, text, int[]) from public;

-- On Supabase and behind the gateway storage lies beside the functions. Elsewhere the setting storage.status_url says where to ask.
create or replace function mill.probe_addresses() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_functions text := mill.setting('functions.base_url');
begin
  perform mill.probe_address('health', v_functions || '/health', '{200,503}');
  perform mill.probe_address('storage', coalesce(mill.setting('storage.status_url'),
    case when v_functions ~ '/functions/v1/?$' then regexp_replace(v_functions, '/functions/v1/?$', '/storage/v1/status') end), '{200}');
end
$$;

comment on function mill.probe_addresses() is 'Asks the function health and storage whether they answer.';
revoke execute on function mill.probe_addresses() from public;

create or replace function mill.silent_addresses() returns table (name text, failure text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select substr(h.part, 7), h.detail ->> 'failure'
  from mill.heartbeat h
  where h.part in ('probe_health', 'probe_storage') and (h.detail ->> 'is_known')::boolean and (h.detail ->> 'failures')::int >= 2
$$;

comment on function mill.silent_addresses() is 'What has answered before and failed at least two times in a row, with the last failure.';
revoke execute on function mill.silent_addresses() from public;

create or replace function mill.check_storage() returns table (detail text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select 'storage does not answer: ' || a.failure from mill.silent_addresses() a where a.name = 'storage' $$;
comment on function mill.check_storage() is 'Whether storage answered when it was last asked.';
revoke execute on function mill.check_storage() from public;

create or replace function mill.measure_addresses() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select a.name, 1::numeric from mill.silent_addresses() a $$;
comment on function mill.measure_addresses() is '1 for storage or health when it does not answer any more.';
revoke execute on function mill.measure_addresses() from public;

insert into mill.health_check (name, step, place) values ('storage', 'mill.check_storage', 36)
on conflict (name) do update set step = excluded.step, place = excluded.place;
insert into mill.alert_rule (rule, severity, measure, threshold, description) values
  ('address_silent', 'P0', 'mill.measure_addresses', 1, 'Storage or the function health has answered before and does not any more')
on conflict (rule) do nothing;
insert into mill.hook (event, routine, place) values ('tick', 'mill.probe_addresses', 26)
on conflict (event, routine) do update set place = excluded.place;
