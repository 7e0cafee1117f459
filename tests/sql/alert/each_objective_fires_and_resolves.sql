select plan(16);
set mill.now = '2030-01-01 00:00+00';
-- Nobody is woken here.
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
create function pg_temp.state(p_rule text) returns text language plpgsql as $$
begin
  perform mill.judge_alerts();
  return (select a.subject || ' ' || a.state from mill.alert a where a.rule = p_rule order by a.since desc limit 1);
end $$;
create function pg_temp.value(p_rule text) returns numeric language sql as $$
  select (v ->> 'value')::numeric from jsonb_array_elements(mill.rule_values()) v where v ->> 'rule' = p_rule $$;
create function pg_temp.settle(p_count int, p_outcome text) returns void language sql as $$
  select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', '{"a": 1}'::jsonb)) from generate_series(1, p_count)));
  select mill.settle('w', jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', p_outcome))) from mill.claim('w', array['default'], p_count) $$;

-- Completion above 99%.
select pg_temp.settle(1, 'dead');
select is(pg_temp.value('jobs_not_completed'), null, 'one dead letter among few jobs is no breach of the objective');
select pg_temp.settle(100, 'completed');
select is(pg_temp.value('jobs_not_completed'), 0.9901, 'the value of a rule is known below its threshold');
select is(pg_temp.state('jobs_not_completed'), null, '1 of 101 is above 99%');
select pg_temp.settle(1, 'dead');
select is(pg_temp.state('jobs_not_completed'), 'default firing', '2 of 102 is not');
set mill.now = '2030-01-01 01:02+00';
select is(pg_temp.state('jobs_not_completed'), 'default resolved', 'the objective of completion is about the last hour');

-- Documents: uploaded, and through the fast stages and the passes after the given seconds. Null: not yet.
insert into public.user_profiles (id, user_id) values ('00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b');
create function pg_temp.document(p_count int, p_uploaded timestamptz, p_fast int, p_ai int) returns void language plpgsql as $$
declare
  v_document uuid;
  v_job uuid;
begin
  for i in 1..p_count loop
    v_document := gen_random_uuid();
    v_job := gen_random_uuid();
    if p_fast is not null then
      insert into mill.job (id, queue, kind, state, payload, run_at, created_at, finished_at, max_attempts)
      values (v_job, 'fast', 'fast_queue_spatial', 'completed', '{}', p_uploaded, p_uploaded, p_uploaded + make_interval(secs => p_fast), 7);
    end if;
    insert into public.shell_files (id, patient_id, filename, mime_type, storage_path, status, stage, stage_jobs, created_at, updated_at, uploaded_at, completed_at)
    values (v_document, '00000000-0000-4000-8000-00000000000a', 'a.pdf', 'application/pdf', v_document::text,
      case when p_ai is null then 'processing' else 'completed' end,
      case when p_fast is null then 'ocr' else 'pass2' end,
      case when p_fast is null then '{}' else jsonb_build_object('spatial', v_job) end,
      p_uploaded, p_uploaded, p_uploaded, p_uploaded + make_interval(secs => p_fast + p_ai));
  end loop;
end $$;
select pg_temp.document(19, '2030-01-01 00:40+00', 30, 60);
select is(pg_temp.value('fast_stages_slow'), null, 'the p95 of fewer than 20 documents is not looked at');
select pg_temp.document(1, '2030-01-01 00:40+00', 31, 61);
select is(array[pg_temp.value('fast_stages_slow'), pg_temp.value('ai_passes_slow')], array[30, 60]::numeric[],
  'the p95 of 20 documents is that of the nineteenth, for the fast stages and for the passes');
-- Ten that came a minute ago and have not passed the fast stages: nobody knows yet how long they take.
select pg_temp.document(10, '2030-01-01 01:01+00', null, null);
select is(pg_temp.value('fast_stages_slow'), 30::numeric, 'a document that is under way and not late does not count');
set mill.now = '2030-01-01 01:03:30+00';
select is(pg_temp.value('fast_stages_slow'), 150::numeric, 'a document that is late counts with its age, although it has not ended');
select pg_temp.state('fast_stages_slow');
set mill.now = '2030-01-01 01:08:31+00';
select is(pg_temp.state('fast_stages_slow'), 'documents firing', 'slow fast stages fire after five minutes');
set mill.now = '2030-01-01 06:00+00';
select pg_temp.document(20, '2030-01-01 05:40+00', 10, null);
select is(pg_temp.value('ai_passes_slow'), 1190::numeric, 'passes that have not ended count when they are late');
delete from public.shell_files where status = 'processing';
select pg_temp.document(20, '2030-01-01 05:50+00', 10, 20);
select is(pg_temp.state('fast_stages_slow'), 'documents resolved', 'fast stages that are fast again resolve');

-- Documents that wait for a person, counted by the reason.
select is(pg_temp.value('documents_need_review'), null, 'completed documents wait for nobody');
insert into public.document_doubts (document_id, doubt_number, stage, reason)
select f.id, n, 'pass2', 'row_not_understood' from (select id from public.shell_files limit 30) f, generate_series(1, 2) n;
update public.shell_files f set status = 'needs_review' where exists (select from public.document_doubts d where d.document_id = f.id);
select is(pg_temp.value('documents_need_review'), 30::numeric, 'documents that need review are counted once for each reason');
update mill.alert_rule set threshold = 30, hold_seconds = 0 where rule = 'documents_need_review';
select is(pg_temp.state('documents_need_review'), 'row_not_understood firing', 'too many that wait for one reason are an alert with that reason');

create or replace function mill.measure_breakers() returns table (subject text, value numeric) language sql as $$ select 'x', 1 / 0::numeric $$;
select ok(not exists (select from jsonb_array_elements(mill.rule_values()) v where v ->> 'rule' = 'breaker_open')
  and exists (select from jsonb_array_elements(mill.rule_values()) v where v ->> 'rule' = 'queue_depth'), 'a rule that cannot be measured hides no other');
select * from finish();
