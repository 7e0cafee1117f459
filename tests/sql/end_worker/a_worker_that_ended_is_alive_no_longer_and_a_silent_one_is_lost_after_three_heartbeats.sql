select plan(12);
set mill.now = '2026-11-18 12:00+00';
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
select public.register_jobs('{"kinds": [{"kind": "mine", "queue": "mine"}]}');
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "00000000-0000-4000-8000-00000000000a", "email": "vi@example.com", "gristmill_role": "viewer"}', false);
create function pg_temp.shown() returns text language sql as $$
  select string_agg(concat_ws(' ', w ->> 'worker', case when (w ->> 'alive')::boolean then 'alive' else 'lost' end), ', ' order by w ->> 'worker') from jsonb_array_elements(public.console_overview() -> 'workers') w $$;
select public.claim_jobs('one', '{mine}', 1);
select public.claim_jobs('two', '{mine}', 1);
select is(pg_temp.shown(), 'one alive, two alive', 'workers that claim are alive');
select is(mill.count_workers(mill.now()), 2::bigint, 'workers that claim are counted');

select public.end_worker('one');
select is(pg_temp.shown(), 'two alive', 'a worker that said that it ends is shown no longer');
select is(mill.count_workers(mill.now()), 1::bigint, 'a worker that said that it ends is not counted');
select lives_ok($$ select public.end_worker('one') $$, 'the call may be repeated');
select lives_ok($$ select public.end_worker('nobody') $$, 'end_worker may be called for a worker that was never seen');

create temp table here as select e.id from mill.enqueue('[{"kind": "mine", "payload": {"n": 1}}]') e;
create function pg_temp.reason() returns text language sql as $$
  select r.code from mill.explained_job((select id from here)) j, mill.queue q, mill.explain_service(j, q) r where q.queue = 'mine' $$;
select is(pg_temp.reason(), null, 'while another worker is there, its queue is served');
select public.end_worker('two');
select is(pg_temp.reason(), 'no_worker', 'once all have ended, a job says that nobody asks for it');

set mill.now = '2026-11-18 12:00:01+00';
select public.claim_jobs('one', '{mine}', 1);
select is(pg_temp.shown(), 'one alive', 'a worker that claims again under its name is alive again');
set mill.now = '2026-11-18 12:01:40+00';
select is(pg_temp.shown(), 'one alive', 'for three heartbeats it may be silent');
set mill.now = '2026-11-18 12:01:42+00';
select is(pg_temp.shown(), 'one lost', 'after three heartbeats a silent worker is lost');
select is(mill.count_workers(mill.now()), 0::bigint, 'a lost worker is not counted');
select * from finish();
