select plan(7);
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
insert into mill.settings (key, value) values ('functions.base_url', 'https://x.example.com/functions/v1') on conflict (key) do update set value = excluded.value;
create function pg_temp.registered(p_definition jsonb) returns jsonb language sql as $$
  select coalesce(public.register_jobs(p_definition) -> 'unanswered', '[]') $$;
create function pg_temp.mail(p_function text) returns jsonb language sql as $$
  select pg_temp.registered(jsonb_build_object('queues', jsonb_build_array(jsonb_build_object('queue', 'mail', 'function', p_function)), 'kinds', '[{"kind": "send_email", "queue": "mail"}]'::jsonb)) $$;
select is(pg_temp.mail('mials') #>> '{0,sentence}',
  'The function of the queue mail has never answered at https://x.example.com/functions/v1/mials. Deploy it there, or correct its name or address and register again.',
  'a queue whose function has never answered is named at once, with its address and what to do');
insert into mill.invocation (id, queue, reason, asked_at, ended_at, failure) values (mill.uuid7(), 'mail', 'wake', now() - interval '2 minutes', now(), 'answered 404');
select is(pg_temp.mail('mials') -> 0 ->> 'failure', 'answered 404', 'a function is named as long as it has not claimed, with what it answered last');
select is(pg_temp.mail('mails') -> 0 -> 'failure', null, 'nothing is known of a function that was changed just now');
insert into mill.invocation (id, queue, reason, asked_at, begun_at, ended_at) values (mill.uuid7(), 'mail', 'wake', now(), now(), now());
select is(pg_temp.mail('mails'), '[]', 'one that has claimed is not named');
select is(pg_temp.mail('elsewhere') -> 0 ->> 'function', 'elsewhere', 'another function in its place is');
select is(pg_temp.registered('{"kinds": [{"kind": "own", "queue": "own"}]}'), '[]', 'a queue of workers is not named');
delete from mill.settings where key = 'functions.base_url';
select matches(pg_temp.mail('third') #>> '{0,sentence}', 'has never answered at third, because the setting functions.base_url is missing', 'without an address the sentence says which setting is missing');
select * from finish();
