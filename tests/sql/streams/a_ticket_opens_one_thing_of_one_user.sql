-- A browser's EventSource shows a ticket instead of a token: what it opens, for how long, and what it never opens.
select plan(23);
create function pg_temp.as_user(p_sub text) returns void language sql as $$
  select set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', p_sub)::text, false)
$$;
create function pg_temp.as_nobody() returns void language sql as $$
  select set_config('request.jwt.claims', '{"role": "anon"}', false)
$$;
create function pg_temp.at(p_time text) returns void language sql as $$ select set_config('mill.now', p_time, false) $$;
select pg_temp.at('2030-01-01 12:00:00+00');
insert into public.documents (id, owner, title, data) values
  ('00000000-0000-4000-8000-0000000000d1', '00000000-0000-4000-8000-0000000000a1', 'Mine', '{"basics": {"name": "A"}}'),
  ('00000000-0000-4000-8000-0000000000d2', '00000000-0000-4000-8000-0000000000a1', 'Mine too', '{"basics": {"name": "B"}}');
create temp table made (name text, id uuid);
create temp table given (name text, ticket text);
grant all on made, given to anon, authenticated;

set role authenticated;
select pg_temp.as_user('00000000-0000-4000-8000-0000000000a1');
insert into made select 'one', (public.request_export('00000000-0000-4000-8000-0000000000d1') ->> 'id')::uuid;
insert into made select 'two', (public.request_export('00000000-0000-4000-8000-0000000000d2') ->> 'id')::uuid;
insert into given select 'one', public.issue_ticket('export_events', jsonb_build_object('p_id', (select id from made where name = 'one'))) ->> 'ticket';
select is((public.issue_ticket('export_events', jsonb_build_object('p_id', (select id from made where name = 'one'))) ->> 'expires_at')::timestamptz,
  '2030-01-01 12:01:15+00', 'a ticket is good for 75 seconds');
select matches((select ticket from given), '^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$', 'a ticket needs no escaping in a URL');
select is(public.issue_ticket('export_events', '{"p_id": "00000000-0000-4000-8000-0000000000ff"}'), null, 'what does not exist gets no ticket');
select throws_ok($$ select public.issue_ticket('request_export', '{"p_document_id": "00000000-0000-4000-8000-0000000000d1"}') $$, 'GM090', null,
  'a function that is not registered gets no ticket');
select throws_ok($$ select public.issue_ticket('export_events', '{"p_after": 1}') $$, 'GM090', null, 'a ticket for nothing in particular is refused');

select pg_temp.as_user('00000000-0000-4000-8000-0000000000a2');
select is(public.issue_ticket('export_events', jsonb_build_object('p_id', (select id from made where name = 'one'))), null,
  'another user gets no ticket for it');

set role anon;
select pg_temp.as_nobody();
select throws_ok($$ select public.issue_ticket('export_events', '{}') $$, '42501', null, 'nobody gets a ticket without a token');
create function pg_temp.read(p_function text, p_id uuid, p_ticket text default null) returns jsonb language sql as $$
  select public.read_with_ticket(coalesce(p_ticket, (select ticket from given)), p_function, jsonb_build_object('p_id', p_id))
$$;
select is(pg_temp.read('export_events', (select id from made where name = 'one')) #>> '{events,0,event}', 'progress', 'the ticket opens the events');
select is(public.read_with_ticket((select ticket from given), 'export_events',
  jsonb_build_object('p_id', (select id from made where name = 'one'), 'p_after', 9007199254740991)) -> 'events', '[]', 'from where the reader is');
select is(pg_temp.read('get_export', (select id from made where name = 'one')) ->> 'status', 'pending', 'a ticket reads the thing that it names');
select is(auth.uid(), null, 'after the call the caller is nobody again');
select throws_ok($$ select public.get_export((select id from made where name = 'one')) $$, '42501', null, 'without the ticket nobody reads it');
select throws_ok($$ select pg_temp.read('export_events', (select id from made where name = 'two')) $$, 'GM090', null, 'a ticket opens nothing else of its user');
select throws_ok($$ select pg_temp.read('export_batch_events', (select id from made where name = 'one')) $$, 'GM090', null, 'a ticket opens no other kind of thing');
select throws_ok($$ select pg_temp.read('cancel_export', (select id from made where name = 'one')) $$, 'GM090', null, 'a ticket changes nothing');
select throws_ok($$ select public.read_with_ticket((select ticket from given), 'export_events', jsonb_build_object('p_id',
  (select id from made where name = 'one'), 'p_owner', 'x')) $$, 'GM090', null, 'further arguments are refused');

create function pg_temp.changed(p_from text, p_to text) returns text language sql as $$
  select mill_payload || '.' || split_part((select ticket from given), '.', 2) from (select translate(encode(convert_to(replace(
    convert_from(decode(rpad(translate(split_part((select ticket from given), '.', 1), '-_', '+/'),
      (length(split_part((select ticket from given), '.', 1)) + 3) / 4 * 4, '='), 'base64'), 'UTF8'), p_from, p_to), 'UTF8'), 'base64'), E'+/=\n', '-_') as mill_payload) p
$$;
select throws_ok($$ select pg_temp.read('export_events', (select id from made where name = 'one'), pg_temp.changed('0000000000a1', '0000000000a2')) $$,
  'GM090', 'the ticket is not valid or has expired', 'a ticket that names another user is forged');
select throws_ok($$ select pg_temp.read('export_events', (select id from made where name = 'one'), pg_temp.changed('"expires": 18', '"expires": 28')) $$,
  'GM090', 'the ticket is not valid or has expired', 'a ticket that was made to last is forged');
select is(pg_temp.changed('x', 'x'), (select ticket from given), 'these two differ from the real one in that alone');
select throws_ok(format('select pg_temp.read(%L, %L, %L)', 'export_events', (select id from made where name = 'one'), t),
  'GM090', 'the ticket is not valid or has expired', format('%L is no ticket', left(t, 12)))
from (values (''), ('.'), ('é.é')) v(t);
reset role;
select pg_temp.at('2030-01-01 12:01:16+00');
set role anon;
select throws_ok($$ select pg_temp.read('export_events', (select id from made where name = 'one')) $$, 'GM090', 'the ticket is not valid or has expired',
  'after its time it opens nothing');
select * from finish();
