-- Jobs by hand: everything that a library does, in psql. Run it as the owner of the database:
--   psql "$DATABASE_URL" --no-psqlrc --quiet -f jobs.sql
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP on

\echo 1. A queue and a kind are registered. It may be done at every start.
select public.register_jobs('{
  "queues": [{"queue": "letters", "served_by": "external", "lease_seconds": 60}],
  "kinds": [{"kind": "print_letter", "queue": "letters", "max_attempts": 3,
             "schema": {"type": "object", "required": ["to"], "properties": {"to": {"type": "string", "minLength": 1}}}}]}') ->> 'kept' as kept;

\echo 2. A job is enqueued together with a row of the application: both are committed, or neither is.
create table if not exists public.letters (recipient text primary key);
begin;
insert into public.letters values ('Ann');
select status from mill.enqueue('[{"kind": "print_letter", "payload": {"to": "Ann"}, "dedupe_key": "Ann"}]');
rollback;
select count(*) || ' letters, ' || (select count(*) from mill.job where kind = 'print_letter') || ' jobs after the rollback' from public.letters;
begin;
insert into public.letters values ('Ann');
select id as job, status from mill.enqueue('[{"kind": "print_letter", "payload": {"to": "Ann"}, "dedupe_key": "Ann"}]') \gset
\echo :status
commit;
select status || ', while that job waits or runs' from mill.enqueue('[{"kind": "print_letter", "payload": {"to": "Ann"}, "dedupe_key": "Ann"}]');

\echo 3. A payload that does not fit the schema of its kind is refused.
\set ON_ERROR_STOP off
\set VERBOSITY sqlstate
select * from mill.enqueue('[{"kind": "print_letter", "payload": {"to": ""}}]');
\set VERBOSITY default
\set ON_ERROR_STOP on

\echo 4. A worker claims the job. Its name and the attempt are the fencing token.
select claimed ->> 'kind' as kind, claimed -> 'payload' ->> 'to' as recipient, claimed ->> 'attempt' as attempt
from jsonb_array_elements(public.claim_jobs('psql-1', '{letters}', 10)) claimed;

\echo 5. The attempt fails. The job may be tried again at once.
select settled ->> 'status' as status
from jsonb_array_elements(public.settle_jobs('psql-1', jsonb_build_array(jsonb_build_object(
  'id', :'job', 'attempt', 1, 'outcome', 'failed', 'delay_seconds', 0, 'error', '{"type": "paper", "message": "no paper", "retryable": true}'::jsonb)))) settled;
select j.state, j.error ->> 'message' from mill.job j where j.id = :'job';

\echo 6. Another worker claims the second attempt and completes it. The first worker, which comes late, has lost it.
select claimed ->> 'attempt' as attempt from jsonb_array_elements(public.claim_jobs('psql-2', '{letters}', 10)) claimed;
select settled ->> 'status' as status
from jsonb_array_elements(public.settle_jobs('psql-1', jsonb_build_array(jsonb_build_object('id', :'job', 'attempt', 1, 'outcome', 'completed')))) settled;
select settled ->> 'status' as status
from jsonb_array_elements(public.settle_jobs('psql-2', jsonb_build_array(jsonb_build_object(
  'id', :'job', 'attempt', 2, 'outcome', 'completed', 'result', '{"pages": 1}'::jsonb)))) settled;
select j.state, j.attempt, j.result from mill.job j where j.id = :'job';
