select plan(47);
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
create function pg_temp.as_role(p_role text) returns void language sql as $$
  select set_config('request.jwt.claims', coalesce(jsonb_build_object('role', 'authenticated', 'sub', '00000000-0000-4000-8000-00000000000a', 'email', 'ana@example.com', 'gristmill_role', p_role)::text, ''), false) $$;
create function pg_temp.pump() returns void language plpgsql as $$
begin
  perform set_config('request.jwt.claims', '', false);
  perform mill.tick();
  perform pg_temp.as_role('operator');
end $$;
create function pg_temp.bulk() returns jsonb language sql as $$ select public.console_bulks() #> '{bulks,0}' $$;
create function pg_temp.dead() returns int language sql as $$ select count(*)::int from mill.job_dead $$;
-- 1,000 dead letters of two causes.
select count(*) from mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', jsonb_build_object('n', n))) from generate_series(1, 1000) n));
select count(*) from mill.claim('w', array['default'], 1000);
select count(*) from mill.settle('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', 1, 'outcome', 'dead', 'error',
  case when (payload ->> 'n')::int % 4 = 0 then jsonb_build_object('type', 'http', 'message', format('answered %s for order "%s"', 500 + (payload ->> 'n')::int % 3, id))
    else jsonb_build_object('type', 'timeout', 'message', format('no answer from 10.0.0.%s within %s s', (payload ->> 'n')::int % 255, payload ->> 'n')) end)) from mill.job_live));
select is(pg_temp.dead(), 1000, 'there are 1,000 dead letters');

select pg_temp.as_role('viewer');
create temp table grouped as select g from jsonb_array_elements(public.console_dead_groups() -> 'groups') g;
select is((select count(*)::int from grouped), 2, 'dead letters of two causes are two groups');
select is((select string_agg(format('%s %s: %s', g -> 'count', g ->> 'type', g ->> 'shape'), ', ' order by (g ->> 'count')::int desc) from grouped),
  '750 timeout: no answer from # within # s, 250 http: answered # for order ‹…›', 'groups are told by kind, type and shape of message');
select is(public.console_dead_groups('payload.n=8') -> 'groups', '[]', 'a viewer does not group by masked payloads');
select throws_ok($$ select public.console_preview('retry') $$, '42501', null, 'a viewer previews no action');

select pg_temp.as_role('operator');
create temp table cause as select g ->> 'group' as id from grouped where g ->> 'type' = 'http';
select is(public.console_preview('retry', '', id) ->> 'count', '250', 'the preview of a group counts it') from cause;
select is(public.console_preview('retry', 'error:timeout') -> 'by_kind', '[{"kind": "echo", "count": 750}]', 'the preview of a search tells the kinds');
select is(jsonb_array_length(public.console_preview('retry') -> 'samples'), 5, 'a preview has five samples');
select is(public.console_preview('discard', 'state:pending') ->> 'count', '0', 'a search for pending jobs matches no dead letter');
select is(public.console_preview('cancel', 'queue:default') ->> 'count', '0', 'to cancel is for jobs that live');
select throws_ok($$ select public.console_preview('cancel') $$, 'GM110', 'an empty search would cancel every job', 'an empty search cancels nothing');
select throws_ok($$ select public.console_preview('explode') $$, 'GM112', null, 'an unknown action is refused');
select throws_ok($$ select public.console_bulk('retry', '', 'x', 'y') $$, 'GM112', null, 'a group that is none is refused');
select throws_ok($$ select public.console_bulk('retry', '', null, '') $$, 'GM111', null, 'a bulk action needs a reason');

-- One group is retried.
select is(public.console_bulk('retry', '', id, 'server mended') ->> 'state', 'running', 'a bulk action begins to run') from cause;
select is(pg_temp.dead(), 1000, 'asking for it changes no dead letter yet');
select is(pg_temp.bulk() ->> 'total', '250', 'a bulk action says for how many jobs it is');
select is((select kind || ' ' || state from mill.job where id = (pg_temp.bulk() ->> 'job')::uuid), 'console_bulk pending', 'a bulk action is a job');
select pg_temp.pump() from generate_series(1, 3);
select is(pg_temp.bulk() ->> 'state', 'completed', 'rounds of the pump bring it to its end');
select is(pg_temp.bulk() ->> 'done', '250', 'a bulk action says how many jobs it has retried');
select is(pg_temp.bulk() ->> 'percent', '100', 'a completed action is at 100 percent');
select is(pg_temp.dead(), 750, 'other groups are left alone');
select is((select state || ' ' || result::text from mill.job where id = (pg_temp.bulk() ->> 'job')::uuid), 'completed {"done": 250, "refused": 0}', 'its job is completed with what it did');
select is((select count(*)::int from mill.audit_log where action = 'retry' and reason = 'server mended' and actor = '00000000-0000-4000-8000-00000000000a' and new_values ->> 'email' = 'ana@example.com' and job_id is not null
  and new_values ? 'kind'), 250, 'each job that it retried has an audit row with who asked for it, and why');
select is((select count(*)::int from mill.audit_log where source = 'console' and action = 'chain'), 0, 'what else a round does is not in this person''s name');

-- It is stopped half-way and resumed. One batch a round.
update mill.settings set value = '0.0001' where key = 'console.bulk_ms';
select is(public.console_bulk('retry', 'error:timeout', null, 'network is back') ->> 'total', '750', 'the second action is for the rest');
select pg_temp.pump();
select is(pg_temp.bulk() ->> 'done', '0', 'a round without time does nothing and waits for the next');
update mill.settings set value = '500' where key = 'console.bulk_ms';
create temp table whole as select pg_get_functiondef('mill.run_bulk(mill.console_bulk, timestamptz)'::regprocedure) as text;
do $$ begin execute replace((select text from whole), 'while not v_is_done and clock_timestamp() < p_until loop', 'for v_once in 1..1 loop'); end $$;
select pg_temp.pump();
select is((pg_temp.bulk() ->> 'done')::int between 1 and 200, true, 'a batch has 200 ids at the most');
select is((select progress::int from mill.job where id = (pg_temp.bulk() ->> 'job')::uuid), (pg_temp.bulk() ->> 'percent')::int, 'its job has its progress');
select is(public.console_pulse() #>> '{bulks,0,done}', pg_temp.bulk() ->> 'done', 'the pulse tells its progress');
create temp table half as select (pg_temp.bulk() ->> 'id')::uuid as id, (pg_temp.bulk() ->> 'job')::uuid as job, (pg_temp.bulk() ->> 'done')::int as done;
select is(public.console_stop_bulk(id, 'wait') ->> 'state', 'stopped', 'a bulk action can be stopped') from half;
select is((select state from mill.job where id = (select job from half)), 'cancelled', 'the job of a stopped action is cancelled');
select pg_temp.pump() from generate_series(1, 3);
select is((pg_temp.bulk() ->> 'done')::int, (select done from half), 'a stopped action does nothing more');
select throws_ok(format('select public.console_stop_bulk(%L, ''x'')', id), 'GM112', null, 'what is stopped cannot be stopped') from half;
select is(public.console_resume_bulk(id, 'go on') ->> 'state', 'running', 'a stopped bulk action can be resumed') from half;
do $$ begin execute (select text from whole); end $$;
select pg_temp.pump() from generate_series(1, 4);
select is(pg_temp.bulk() ->> 'state', 'completed', 'a resumed action comes to its end');
select is(pg_temp.bulk() ->> 'done', '750', 'a resumed action goes on where it stopped: each job was retried once');
select is(pg_temp.dead(), 0, 'no dead letter is left');
select is((select count(*)::int from mill.audit_log where action = 'retry' and new_values ? 'kind'), 1000, 'each dead letter was retried once');

-- Jobs that live are cancelled, a running one too.
select count(*) from mill.claim('w', array['default'], 1);
select public.console_bulk('cancel', 'queue:default payload.n=1,2,3 state:live', null, 'not wanted');
select pg_temp.pump() from generate_series(1, 2);
select is(pg_temp.bulk() ->> 'done', '3', 'jobs that live are cancelled by a search of their payload');
-- Whoever cancels its job stops the action.
select public.console_bulk('cancel', 'queue:default', null, 'all');
select mill.cancel(array[(pg_temp.bulk() ->> 'job')::uuid]);
select pg_temp.pump() from generate_series(1, 2);
select is(pg_temp.bulk() ->> 'state', 'stopped', 'an action whose job was cancelled is stopped');
select is((select count(*)::int from mill.job_live where queue = 'default'), 997, 'an action whose job was cancelled does nothing');

-- A failure costs the attempt, and the action fails when its attempts are used up.
create or replace function mill.run_bulk_batch(p_bulk uuid) returns boolean language plpgsql as $$ begin raise exception 'disk full'; end $$;
update mill.queue set max_attempts = 2, backoff_base_seconds = 0.001, backoff_cap_seconds = 0.001 where queue = 'console';
select public.console_bulk('discard', '', null, 'clean up');
select pg_temp.pump();
select is(pg_temp.bulk() ->> 'state', 'running', 'an action whose round has failed is tried again');
select matches(pg_temp.bulk() ->> 'error', 'disk full', 'an action says what went wrong');
update mill.job_live set run_at = now() - interval '1 second' where queue = 'console';
select pg_temp.pump() from generate_series(1, 3);
select is(pg_temp.bulk() ->> 'state', 'failed', 'an action fails when its attempts are used up');
select is((select count(*)::int from mill.event where code = 'tick_failed'), 0, 'a failing action fails no round of the pump');
select is((select count(*)::int from public.console_bulks() b, jsonb_array_elements(b -> 'bulks') e where e ->> 'state' = 'running'), 0, 'nothing runs on');
select * from finish();
