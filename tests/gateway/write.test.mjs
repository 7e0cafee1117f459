// Writing tables: insert, upsert, PUT, update, delete, under row-level security and with preferences.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { ALICE, BOB, open } from './harness.mjs';

let stack;
before(async () => { stack = await open(); });
after(() => stack.close());
beforeEach(() => stack.sql(`
  truncate api.todos, api.items, api.memberships restart identity cascade;
  insert into api.todos (owner, title, slug, prio) values
    ('${ALICE}', 't1', 's1', 3), ('${ALICE}', 't2', 's2', 1), ('${ALICE}', 't3', 's3', null), ('${BOB}', 'bobs', 's4', 1)`));

const shown = { prefer: 'return=representation' };
const send = (method, path, body, headers = {}, as = 'alice') => stack.request(method, path, { body, headers, as });
const fails = (response, status, code) => {
  assert.deepEqual([response.status, response.json?.code], [status, code], response.text);
};
const titles = async () => (await stack.sql('select title from api.todos order by id')).map((row) => row.title);

test('an_insert_shows_the_row_with_every_digit', async () => {
  const row = { owner: ALICE, title: 'new', tags: ['a', 'b'], meta: { k: 1 }, prio: 3, slug: 'n1', amount: '12.50', big: '9007199254740993' };
  const response = await send('POST', '/todos', row, shown);
  assert.equal(response.status, 201);
  assert.deepEqual(response.json[0].tags, ['a', 'b']);
  assert.match(response.text, /12\.50/);
  assert.match(response.text, /9007199254740993/);
  assert.deepEqual(Object.keys(response.json[0]), ['id', 'owner', 'title', 'done', 'tags', 'meta', 'created_at', 'prio', 'slug', 'amount', 'big']);
  assert.match(response.headers.get('preference-applied'), /return=representation/);
});

test('an_insert_answers_nothing_or_a_location_unless_asked', async () => {
  const minimal = await send('POST', '/todos', { owner: ALICE, title: 'm' });
  assert.deepEqual([minimal.status, minimal.text], [201, '']);
  const headers = await send('POST', '/todos', { owner: ALICE, title: 'h' }, { prefer: 'return=headers-only' });
  assert.equal(headers.status, 201);
  assert.match(headers.headers.get('location'), /^\/todos\?id=eq\.\d+$/);
});

test('many_rows_are_inserted_at_once_if_their_keys_match', async () => {
  const rows = [{ owner: ALICE, title: 'b1' }, { owner: ALICE, title: 'b2' }];
  const response = await send('POST', '/todos?select=title', rows, shown);
  assert.deepEqual([response.status, response.json], [201, [{ title: 'b1' }, { title: 'b2' }]]);
  fails(await send('POST', '/todos', [rows[0], { ...rows[1], prio: 1 }]), 400, 'PGRST102');
  assert.equal((await send('POST', '/todos', [], shown)).text, '[]');
});

test('columns_chooses_what_is_taken_and_missing_ones_can_take_defaults', async () => {
  const path = '/todos?columns=owner,title,done&select=title,done';
  const row = [{ owner: ALICE, title: 'c1', prio: 9 }];
  const filled = await send('POST', path, row, { prefer: 'return=representation, missing=default' });
  assert.deepEqual([filled.status, filled.json], [201, [{ title: 'c1', done: false }]]);
  assert.match(filled.headers.get('preference-applied'), /missing=default/);
  fails(await send('POST', path, row), 400, '23502');
});

test('an_empty_row_is_all_defaults', async () => {
  await stack.sql('alter table api.memberships alter team set default 1, alter member set default 2');
  const one = await send('POST', '/memberships', {}, shown, 'service');
  assert.deepEqual(one.json, [{ team: 1, member: 2, rank: 'novice' }]);
  fails(await send('POST', '/memberships', [{}, {}], shown, 'service'), 409, '23505');
});

test('forms_can_be_inserted', async () => {
  const headers = { ...shown, 'content-type': 'application/x-www-form-urlencoded' };
  const response = await send('POST', '/items?select=txt', 'id=5&txt=a+b', headers, 'service');
  assert.deepEqual(response.json, [{ txt: 'a b' }]);
});

test('row_level_security_holds_for_every_write', async () => {
  fails(await send('POST', '/todos', { owner: BOB, title: 'x' }), 403, '42501');
  assert.equal((await send('PATCH', '/todos?slug=eq.s4', { title: 'taken' }, shown)).text, '[]');
  assert.equal((await send('DELETE', '/todos?slug=eq.s4', undefined, shown)).text, '[]');
  fails(await send('PATCH', '/todos?slug=eq.s1', { owner: BOB }), 403, '42501');
  fails(await send('POST', '/todos?on_conflict=slug', { owner: ALICE, title: 'mine now', slug: 's4' }, { prefer: 'resolution=merge-duplicates' }), 403, '42501');
  assert.deepEqual(await titles(), ['t1', 't2', 't3', 'bobs']);
});

test('constraints_answer_with_their_codes', async () => {
  const duplicate = await send('POST', '/todos', { owner: ALICE, title: 'd', slug: 's1' });
  assert.equal(duplicate.status, 409);
  assert.deepEqual(duplicate.json, {
    code: '23505', details: null, hint: null, message: 'duplicate key value violates unique constraint "todos_slug_key"',
  });
  fails(await send('POST', '/todos', { owner: ALICE, title: 'd', prio: 50 }), 400, '23514');
  fails(await send('POST', '/todos', { owner: ALICE }), 400, '23502');
  fails(await send('POST', '/items', { id: 1, todo_id: 999999 }, {}, 'service'), 409, '23503');
  fails(await send('POST', '/todos', { nosuch: 1 }), 400, 'PGRST204');
  fails(await send('POST', '/todos', 'no json'), 400, 'PGRST102');
});

test('an_upsert_merges_or_ignores_on_the_named_conflict', async () => {
  const row = { owner: ALICE, title: 't1-up', slug: 's1', prio: 5 };
  const merged = await send('POST', '/todos?on_conflict=slug&select=title,slug,prio', row, { prefer: 'resolution=merge-duplicates,return=representation' });
  assert.deepEqual([merged.status, merged.json], [200, [{ title: 't1-up', slug: 's1', prio: 5 }]]);
  const ignored = await send('POST', '/todos?on_conflict=slug&select=title', { ...row, title: 'zzz' }, { prefer: 'resolution=ignore-duplicates,return=representation' });
  assert.deepEqual([ignored.status, ignored.text], [201, '[]']);
  assert.match(merged.headers.get('preference-applied'), /resolution=merge-duplicates/);
});

test('an_upsert_on_a_composite_key_tells_inserted_from_updated', async () => {
  const merge = { prefer: 'resolution=merge-duplicates,return=representation' };
  const rows = [{ team: 1, member: 1, rank: 'a' }, { team: 1, member: 2, rank: 'b' }];
  assert.equal((await send('POST', '/memberships', rows, merge, 'service')).status, 201);
  const again = await send('POST', '/memberships?on_conflict=team,member', rows, merge, 'service');
  assert.equal(again.status, 200);
  const mixed = await send('POST', '/memberships', [{ team: 1, member: 1, rank: 'c' }, { team: 2, member: 1, rank: 'd' }], merge, 'service');
  assert.equal(mixed.status, 201);
  assert.deepEqual((await stack.sql('select rank from api.memberships order by 1')).map((row) => row.rank), ['b', 'c', 'd']);
});

test('put_writes_the_one_row_its_url_names', async () => {
  const put = (path, body, headers = shown) => send('PUT', path, body, headers, 'service');
  const created = await put('/items?id=eq.3', { id: 3, todo_id: null, txt: 'p' });
  assert.deepEqual([created.status, created.json], [201, [{ id: 3, todo_id: null, txt: 'p' }]]);
  assert.equal((await put('/items?id=eq.3', { id: 3, txt: 'q' })).status, 200);
  assert.equal((await put('/items?id=eq.3', { id: 3, txt: 'r' }, {})).status, 204);
  fails(await put('/items?id=eq.4', { id: 5, txt: 'x' }), 400, 'PGRST115');
  fails(await put('/items?txt=eq.x', { id: 5, txt: 'x' }), 405, 'PGRST105');
  fails(await put('/items?id=eq.5&limit=1', { id: 5, txt: 'x' }), 400, 'PGRST114');
  assert.deepEqual((await stack.sql('select id, txt from api.items')), [{ id: 3, txt: 'r' }]);
});

test('a_patch_changes_what_its_filters_find', async () => {
  const changed = await send('PATCH', '/todos?slug=eq.s2&select=title,done', { done: true }, shown);
  assert.deepEqual([changed.status, changed.json], [200, [{ title: 't2', done: true }]]);
  const silent = await send('PATCH', '/todos?slug=eq.s2', { done: false });
  assert.deepEqual([silent.status, silent.text], [204, '']);
  const none = await send('PATCH', '/todos?slug=eq.nope', { done: true }, shown);
  assert.deepEqual([none.status, none.text], [200, '[]']);
  const nothing = await send('PATCH', '/todos?slug=eq.s2', {}, shown);
  assert.deepEqual([nothing.status, nothing.text], [200, '[]']);
  const nulls = await send('PATCH', '/todos?slug=eq.s1&select=prio,meta', { prio: null, meta: { a: null } }, shown);
  assert.deepEqual(nulls.json, [{ prio: null, meta: { a: null } }]);
});

test('a_patch_counts_on_request', async () => {
  const response = await send('PATCH', '/todos?prio=not.is.null', { done: true }, { prefer: 'count=exact' });
  assert.deepEqual([response.status, response.headers.get('content-range')], [204, '0-1/2']);
});

test('a_delete_removes_what_its_filters_find', async () => {
  const shownRows = await send('DELETE', '/todos?slug=eq.s3&select=slug', undefined, shown);
  assert.deepEqual([shownRows.status, shownRows.json], [200, [{ slug: 's3' }]]);
  const silent = await send('DELETE', '/todos?slug=eq.nope');
  assert.deepEqual([silent.status, silent.text], [204, '']);
  assert.deepEqual(await titles(), ['t1', 't2', 'bobs']);
});

test('a_limit_on_a_write_is_refused_rather_than_ignored', async () => {
  fails(await send('PATCH', '/todos?order=id&limit=1', { done: true }), 400, 'PGRST114');
  fails(await send('DELETE', '/todos?limit=1'), 400, 'PGRST114');
  assert.equal((await titles()).length, 4);
});

test('a_refused_number_of_rows_rolls_back', async () => {
  const many = await send('POST', '/items', [{ id: 10 }, { id: 11 }], { ...shown, accept: 'application/vnd.pgrst.object+json' }, 'service');
  fails(many, 406, 'PGRST116');
  fails(await send('DELETE', '/todos?id=gt.0', undefined, { prefer: 'handling=strict,max-affected=1' }), 400, 'PGRST124');
  assert.equal((await stack.sql('select from api.items')).length, 0);
  assert.equal((await titles()).length, 4);
  const one = await send('POST', '/items?select=id', { id: 12 }, { ...shown, accept: 'application/vnd.pgrst.object+json' }, 'service');
  assert.deepEqual([one.status, one.json], [201, { id: 12 }]);
});

test('unknown_preferences_are_refused_under_strict_handling', async () => {
  fails(await stack.request('GET', '/todos', { headers: { prefer: 'handling=strict,foo=bar' } }), 400, 'PGRST122');
});

test('the_client_cannot_choose_to_roll_back', async () => {
  const response = await send('POST', '/items', { id: 77 }, { prefer: 'tx=rollback,return=representation' }, 'service');
  assert.equal(response.status, 201);
  assert.equal((await stack.sql('select from api.items where id = 77')).length, 1);
});

test('a_write_needs_no_right_to_read_what_it_does_not_show', async () => {
  assert.equal((await send('POST', '/partly_visible', { id: 2, open: 'o', secret: 's' })).status, 201);
  fails(await send('POST', '/partly_visible', { id: 3 }, shown), 403, '42501');
  const part = await send('PATCH', '/partly_visible?id=eq.2&select=open', { open: 'p' }, shown);
  assert.deepEqual(part.json, [{ open: 'p' }]);
});

test('updatable_views_are_written_like_tables', async () => {
  const response = await send('PATCH', '/open_todos?title=eq.t1&select=prio', { prio: 8 }, shown, 'service');
  assert.deepEqual(response.json, [{ prio: 8 }]);
});

test('an_error_at_commit_is_an_error_of_the_request', async () => {
  await stack.sql(`create table if not exists api.deferred (id int primary key, other int references api.items deferrable initially deferred);
    grant all on api.deferred to service_role; notify pgrst`);
  await assert.doesNotReject(async () => {
    for (let tries = 0; (await stack.request('GET', '/deferred')).status === 404 && tries < 200; tries += 1);
  });
  fails(await send('POST', '/deferred', { id: 1, other: 9 }, shown, 'service'), 409, '23503');
  assert.equal((await stack.sql('select from api.deferred')).length, 0);
});
