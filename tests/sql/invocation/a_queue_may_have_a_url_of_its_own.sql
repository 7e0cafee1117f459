select plan(11);
insert into mill.queue (queue, served_by, url) values ('mail', 'function', 'https://jobs.example.com/serve?a=1');
insert into mill.kind (kind, queue) values ('send_mail', 'mail'), ('send_digest', 'mail');
delete from mill.settings where key = 'functions.base_url';
select mill.enqueue('[{"kind": "send_mail", "payload": {"to": "a"}}]');
create temp table request as select q.url, q.headers, convert_from(q.body, 'UTF8') as body, q.timeout_milliseconds from net.http_request_queue q;
select is((select url from request), 'https://jobs.example.com/serve?a=1', 'the request goes to the URL of the queue, without an address of our functions');
select is((select body::jsonb - 'invocation' from request), '{"queue": "mail", "batch": 50, "seconds": 30, "kinds": ["send_digest", "send_mail"]}', 'the request to a URL says what the function has to know');
select is((select headers ->> 'webhook-signature' from request), (select mill.sign('invoke', convert_to(format('%s.%s.%s',
  headers ->> 'webhook-id', headers ->> 'webhook-timestamp', body), 'UTF8')) from request), 'the request to a URL is signed as Standard Webhooks has it');
select is((select headers ->> 'webhook-id' from request), (select id::text from mill.invocation), 'under the id of the invocation');

update mill.settings set value = '1' where key = 'breaker.min_attempts';
insert into mill.stat_batch (at, jobs, bucket, total_ms, bytes, queue, kind, outcome, tenant)
select mill.now(), 1, 0, 0, 0, 'mail', 'send_mail', 'failed', 't' || n from generate_series(1, 10) n;
select mill.judge_breakers();
select is((select state from mill.breaker where target = 'https://jobs.example.com/serve?a=1'), 'open', 'a breaker judges the URL');
select is(mill.invoke('mail', 'wake'), null, 'while the breaker of a URL is open nothing is invoked there');
select is(mill.invoke_due(), 0, 'by the pump neither');

select throws_ok($$ update mill.queue set url = 'ftp://example.com' where queue = 'mail' $$, '23514', null, 'a URL is http or https');
select throws_ok($$ update mill.queue set function = 'processor' where queue = 'mail' $$, '23514', null, 'a queue has a function or a URL, not both');
select throws_ok($$ update mill.queue set url = null where queue = 'mail' $$, '23514', null, 'a queue that a function serves names one');
select lives_ok($$ update mill.queue set served_by = 'external' where queue = 'mail' $$, 'a queue that is set to external keeps its URL');
select * from finish();
