select plan(24);
set mill.now = '2030-01-01 00:00+00';
-- include: rules/*.sql
create function pg_temp.picture(p_number int) returns uuid language sql immutable as $$ select ('00000000-0000-4000-8000-00000000000' || p_number)::uuid $$;
-- What there is to see of a picture: the path in its row, and the state of its job.
create function pg_temp.seen(p_number int) returns text language sql as $$
  select format('%s, %s', coalesce(t.path, 'no path'), j.state)
  from mill.thumbnail t left join mill.job j on j.payload ->> 'picture' = t.picture::text where t.picture = pg_temp.picture(p_number) $$;
create function pg_temp.job(p_number int) returns uuid language sql as $$ select j.id from mill.job j where j.payload ->> 'picture' = pg_temp.picture(p_number)::text $$;

-- Asked for.
begin;
select public.request_thumbnail(pg_temp.picture(1));
rollback;
select is((select count(*)::int from mill.thumbnail) + (select count(*)::int from mill.job where queue = 'thumbnails'), 0, 'a request that is rolled back leaves neither row nor job');
select isnt(public.request_thumbnail(pg_temp.picture(1)), null, 'a request answers its job');
select is(pg_temp.seen(1), 'no path, pending', 'a request makes a row and a job');

-- Finished by its holder, and by nobody else.
select is((select count(*)::int from mill.claim('w1', '{thumbnails}', 1)), 1, 'a worker claims the job');
create temp table before as select * from mill.job;
select is(public.finish_thumbnail(pg_temp.job(1), 'w2', 1, 'a.png'), false, 'another worker finishes nothing');
select is(public.finish_thumbnail(pg_temp.job(1), 'w1', 2, 'a.png'), false, 'another attempt finishes nothing');
select is(public.finish_thumbnail(gen_random_uuid(), 'w1', 1, 'a.png'), false, 'a holder of an unknown job finishes nothing');
select results_eq('select * from mill.job', 'select * from before', 'whoever does not hold the job changes nothing about it');
select is(pg_temp.seen(1), 'no path, processing', 'whoever does not hold the job writes no row');

begin;
select is(public.finish_thumbnail(pg_temp.job(1), 'w1', 1, 'a.png'), true, 'the holder finishes');
rollback;
select is(pg_temp.seen(1), 'no path, processing', 'a rollback takes back the row and the end of the job');
select is(public.finish_thumbnail(pg_temp.job(1), 'w1', 1, 'a.png'), true, 'the holder still holds the job and finishes again');
select is(pg_temp.seen(1), 'a.png, completed', 'the row is written and the job has ended');
select is((select j.result from mill.job_done j), '{"path": "a.png"}', 'the job keeps its result');

-- The answer was lost: the worker says the same again.
create temp table finished as select * from mill.job;
select is(public.finish_thumbnail(pg_temp.job(1), 'w1', 1, 'other.png'), true, 'a repeated call of the holder is answered true');
select is(public.finish_thumbnail(pg_temp.job(1), 'w2', 1, 'other.png'), false, 'a call of a worker that did not complete the job is answered false');
select results_eq('select * from mill.job', 'select * from finished', 'a repeated call changes nothing about the job');
select is(pg_temp.seen(1), 'a.png, completed', 'a repeated call changes no row');

-- A row that cannot be written leaves the job where it is.
select public.request_thumbnail(pg_temp.picture(2));
select from mill.claim('w1', '{thumbnails}', 1);
select throws_ok($$ select public.finish_thumbnail(pg_temp.job(2), 'w1', 1, 'a.png') $$, '23505', null, 'a row that Postgres refuses fails the call');
select is(pg_temp.seen(2), 'no path, processing', 'a refused row leaves the job with its holder');

-- The lease was lost and another worker has the job: the first one is a zombie.
set mill.now = '2030-01-01 01:00+00';
select mill.reclaim();
set mill.now = '2030-01-01 02:00+00'; -- past the delay of a lost job
select mill.promote();
select from mill.claim('w2', '{thumbnails}', 1);
select is(public.finish_thumbnail(pg_temp.job(2), 'w1', 1, 'zombie.png'), false, 'a zombie finishes nothing');
select is(pg_temp.seen(2), 'no path, processing', 'a zombie changes neither row nor job');

-- Somebody has asked to cancel.
select mill.cancel(array[pg_temp.job(2)]);
select is(public.finish_thumbnail(pg_temp.job(2), 'w2', 2, 'late.png'), false, 'a job that was asked to cancel is not finished');
select is((select t.path from mill.thumbnail t where t.picture = pg_temp.picture(2)), null, 'a job that was asked to cancel writes no row');
select * from finish();
