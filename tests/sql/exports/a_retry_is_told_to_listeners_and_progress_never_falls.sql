-- What listeners of an export hear when an attempt fails: when the next one begins, and how far the export had come.
select plan(16);
create function pg_temp.at(p_time text) returns void language sql as $$ select set_config('mill.now', p_time, false) $$;
-- Each call is made as the role that really makes it, with the claims that PostgREST sets.
create function pg_temp.as(p_role text, p_sub text default null) returns void language plpgsql as $$
begin
  perform set_config('request.jwt.claims', jsonb_strip_nulls(jsonb_build_object('role', p_role, 'sub', p_sub))::text, false);
  execute format('set role %I', p_role);
end $$;
create temp table made (id uuid);
create temp table held (attempt int);
create temp table seen (id bigint);
grant all on made, held, seen to public;

-- What the owner hears after the last event that it has heard before.
create function pg_temp.heard() returns text language plpgsql as $$
declare v_events jsonb;
begin
  perform pg_temp.as('authenticated', '00000000-0000-4000-8000-0000000000a1');
  v_events := public.export_events((select id from made), coalesce((select max(id) from seen), 0)) -> 'events';
  insert into seen select (e ->> 'id')::bigint from jsonb_array_elements(v_events) e;
  perform pg_temp.as('service_role');
  return (
    select string_agg(concat_ws(' ', e ->> 'event', e #>> '{data,progress}', e #>> '{data,message}', e #>> '{data,attempts}', e #>> '{data,max_attempts}', e #>> '{data,retry_at}'), ', ' order by n)
    from jsonb_array_elements(v_events) with ordinality x(e, n));
end $$;
create function pg_temp.claim() returns void language sql as $$
  truncate held; insert into held select (c ->> 'attempt')::int from jsonb_array_elements(public.claim_jobs('w1', array['exports'], 1)) c $$;
create function pg_temp.begin() returns boolean language sql as $$
  select public.begin_export((select id from made), 'w1', (select attempt from held)) is not null $$;
create function pg_temp.report(p_progress int, p_message text) returns boolean language sql as $$
  select public.report_export((select id from made), 'w1', (select attempt from held), p_progress, p_message) $$;
create function pg_temp.settle(p_outcome text) returns text language sql as $$
  select public.settle_jobs('w1', jsonb_build_array(jsonb_build_object('id', (select id from made), 'attempt', (select attempt from held), 'outcome', p_outcome,
    'error', jsonb_build_object('type', 'storage', 'message', 'away'), 'delay_seconds', case when p_outcome <> 'released' then 60 end))) #>> '{0,status}' $$;

select pg_temp.at('2030-01-01 12:00+00');
insert into public.documents (id, owner, title) values ('00000000-0000-4000-8000-0000000000d1', '00000000-0000-4000-8000-0000000000a1', 'Resume');
select pg_temp.as('authenticated', '00000000-0000-4000-8000-0000000000a1');
insert into made select (public.request_export('00000000-0000-4000-8000-0000000000d1') ->> 'id')::uuid;
select pg_temp.as('service_role');
select pg_temp.claim();
select is(pg_temp.heard(), 'progress 0 waiting', 'an export that was claimed for the first time has no event of a retry');
select ok(pg_temp.begin() and pg_temp.report(75, 'writing'), 'the first attempt comes as far as 75 percent');
select is(pg_temp.heard(), 'progress 25 fetching, progress 75 writing', 'a first attempt is told step by step');

select is(pg_temp.settle('failed'), 'accepted', 'the first attempt fails');
select is(pg_temp.heard(), 'progress 75 retrying 1 5 2030-01-01T12:01:00+00:00', 'a listener hears how many attempts were used and when the next one begins');
select is(pg_temp.heard(), null, 'a retry is told once, however often a listener asks');
select pg_temp.at('2030-01-01 12:01:01+00');
select pg_temp.claim();
select ok(pg_temp.begin() and pg_temp.report(50, 'rendering') and pg_temp.report(90, 'uploading'), 'the second attempt begins anew');
select is(pg_temp.heard(), 'progress 75 fetching, progress 75 rendering, progress 90 uploading', 'progress does not fall in a second attempt, and rises past the first one');

select is(pg_temp.settle('failed'), 'accepted', 'the second attempt fails while nobody listens');
select pg_temp.at('2030-01-01 12:02:02+00');
select pg_temp.claim();
select ok(pg_temp.begin(), 'the third attempt begins before anybody has listened');
select is(pg_temp.heard(), 'progress 90 retrying 2 5 2030-01-01T12:02:01+00:00, progress 90 fetching', 'a retry that nobody heard at the time comes before the steps of the next attempt');

select is(pg_temp.settle('released'), 'accepted', 'a worker that is stopped gives the export back');
select is(pg_temp.heard(), 'progress 90 retrying 2 5 2030-01-01T12:02:02+00:00', 'a listener hears that an export was given back, and that attempt is not counted');

select pg_temp.claim();
reset role;
update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds';
select pg_temp.at('2030-01-01 13:00+00');
select is((select mill.reclaim()), 1, 'a worker is lost before it has said a word');
select is(pg_temp.heard(), 'progress 90 retrying 3 5 2030-01-01T13:00:00+00:00', 'a listener hears of an attempt that was lost without a word');

select pg_temp.as('authenticated', '00000000-0000-4000-8000-0000000000a1');
select is(public.get_export((select id from made)) ->> 'progress', '90', 'the export that is polled shows the progress that listeners heard');
reset role;
select * from finish();
