select plan(3);
select is((select array_agg(q.queue || ' ' || q.lease_seconds order by q.queue) from mill.queue q where q.served_by = 'worker' and q.lease_seconds <> 90), null,
  'every queue of the container worker has a lease of 90 seconds, three heartbeats');
select ok((select count(*) from mill.queue q where q.served_by = 'worker') >= 6, 'there are such queues');
insert into mill.kind (kind, queue, description) values ('nap', 'standard', 'A test');
select mill.enqueue('[{"kind": "nap", "payload": {"a": 1}}]');
set mill.now = '2030-01-01 00:00+00';
set role service_role;
select public.claim_jobs('w-1', array['standard'], 1);
reset role;
select is((select j.lease_until from mill.job_live j where j.worker = 'w-1'), '2030-01-01 00:01:30+00'::timestamptz, 'a job that a killed worker held is free after 90 seconds');
select * from finish();
