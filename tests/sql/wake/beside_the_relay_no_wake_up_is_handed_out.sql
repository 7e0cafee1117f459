-- The relay holds this lock while it serves (platform/relay/src/leader.rs); nobody serves a copy of the template.
select plan(3);
create temp table job as select id from mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]');
select pg_advisory_lock(1835625580, 1);
select is(public.claim_wake_up((select id from job)), null, 'while the relay serves, which sends at once, nothing is handed out');
select is((select handed_at from mill.invocation), null, 'the invocation is not marked as handed out: the answer that the relay records counts');
select pg_advisory_unlock(1835625580, 1);
select isnt(public.claim_wake_up((select id from job)), null, 'when the relay has gone, the request is handed out');
select * from finish();
