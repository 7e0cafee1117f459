select plan(2);
set mill.now = '2026-11-18 12:00+00';
select public.register_jobs('{"kinds": [{"kind": "long", "queue": "long"}]}');
create temp table here as select e.id from mill.enqueue('[{"kind": "long", "payload": {"n": 1}}]') e;
select public.claim_jobs('w', '{long}', 1);
select public.sleep_step(id, 'w', 1, 'nap', 60) from here;
create function pg_temp.reason() returns jsonb language sql as $$ select jsonb_path_query_first(mill.explain_job((select id from here)), '$.** ? (@.code == "sleeps" || @.code == "waits_for_event")') $$;
select is(pg_temp.reason() ->> 'sentence', 'The job sleeps in its step "nap" until 2026-11-18 12:01:00 UTC. Nothing is held for it. Wait, or cancel the job.', 'a job that sleeps says until when');
set mill.now = '2026-11-18 12:01:01+00';
select public.tick();
select public.claim_jobs('w', '{long}', 1);
select public.sleep_step(id, 'w', 2, 'nap', 60) from here;
select public.wait_for_event(id, 'w', 2, 'approval', 'it''s approved') from here;
select is(pg_temp.reason() ->> 'sentence', format('The job waits for the event %2$L in its step "approval". Send it: select public.send_event(%1$L, %2$L, %3$L);', id, 'it''s approved', '{}'),
  'a job that waits says for which event, and how to send it') from here;
select * from finish();
