select plan(6);
insert into mill.workflow (type, user_id) values ('echo', gen_random_uuid());
alter function mill.keep_progress(mill.workflow) rename to keep_progress_away;
select is((select s.status from mill.claim('w', array['default'], 1, null) c, lateral mill.settle('w', jsonb_build_array(jsonb_build_object(
  'id', c.id, 'attempt', c.attempt, 'outcome', 'completed', 'result', '{"echo": {"message": "x"}}'::jsonb))) s), 'accepted', 'a workflow that cannot be advanced');
select is((select state from mill.job where name = 'listen'), 'completed', 'does not keep its task from being settled');
select is((select count(*) from mill.ended), 1::bigint, 'what is to be done is kept');
select is((select count(*) from mill.event where code = 'ended_hook_failed'), 1::bigint, 'a workflow that could not be advanced is noted as an event');
alter function mill.keep_progress_away(mill.workflow) rename to keep_progress;
select mill.tick();
select is((select count(*) from mill.ended), 0::bigint, 'the tick takes it up');
select is((select payload ->> 'message' from mill.job_live where name = 'repeat'), 'Heard: x', 'the tick starts the next task of a workflow that could not be advanced');
select * from finish();
