// The row that a foreign key names, embedded beside each row: K60 (`select=*,documents(title)`), in the words of PostgREST.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ALICE, BOB, open, until } from './harness.mjs';

let stack;
before(async () => {
  stack = await open();
  await stack.sql(`
    insert into api.todos (owner, title, meta, slug) values ('${ALICE}', 'of alice', '{"k": {"l": 1}}', 'a'), ('${BOB}', 'of bob', '{}', 'b');
    insert into api.items (id, todo_id, txt) select 1, id, 'one' from api.todos where slug = 'a';
    insert into api.items (id, todo_id, txt) select 2, id, 'two' from api.todos where slug = 'b';
    insert into api.items (id, txt) values (3, 'three');
    create schema hidden;
    create table hidden.note (id int primary key, item_id int references api.items, second_id int, txt text,
      constraint note_second foreign key (second_id) references api.items (id));
    insert into hidden.note values (1, 1, 2, 'n1'), (2, null, null, 'n2');
    create view hidden.below as select n.id, n.item_id as item, n.txt, upper(n.txt) as loud from hidden.note n;
    create view api.notes as select b.id, b.loud, b.item, (select count(*) from api.numbers) as n from hidden.below b join api.items i on i.id = b.id or true where i.id = 1;
    create view api.two_ways as select id, item_id, second_id from hidden.note;
    create view api.computed as select id, item_id + 0 as item_id from hidden.note;
    create table api."strange ""table" (id int primary key, "the item, (1)" int references api.items (id));
    insert into api."strange ""table" values (1, 1);
    create table api.closed (id int primary key);
    create table api.of_closed (id int primary key, closed_id int references api.closed);
    create function api.some_items() returns setof api.items language sql as 'select * from api.items order by id';
    grant select on api.notes, api.two_ways, api.computed, api."strange ""table", api.of_closed to service_role, authenticated;
    grant execute on function api.some_items() to service_role, authenticated;
    grant update, insert on api.two_ways to service_role;
    notify pgrst`);
  await until('the schema', async () => (await stack.request('GET', '/of_closed')).status === 200);
});
after(() => stack.close());

const get = async (path, options) => {
  const response = await stack.request('GET', path, options);
  assert.equal(response.status, 200, response.text);
  return response.json;
};

test('K60: a_row_has_the_row_that_its_foreign_key_names_or_null', async () => {
  assert.deepEqual(await get('/items?select=id,todos(title)&order=id'), [
    { id: 1, todos: { title: 'of alice' } }, { id: 2, todos: { title: 'of bob' } }, { id: 3, todos: null }]);
  assert.deepEqual(await get('/items?select=*,parent:todos(t:title,meta->k->l)&id=eq.1'),
    [{ id: 1, todo_id: (await get('/todos?slug=eq.a'))[0].id, txt: 'one', parent: { t: 'of alice', l: 1 } }]);
  assert.deepEqual(Object.keys((await get('/items?select=id,todos(*)&id=eq.1'))[0].todos).includes('prio'), true);
});

test('K60: row_level_security_of_the_embedded_table_holds', async () => {
  assert.deepEqual(await get('/items?select=id,todos(title)&order=id', { as: 'alice' }), [
    { id: 1, todos: { title: 'of alice' } }, { id: 2, todos: null }, { id: 3, todos: null }]);
  assert.deepEqual(await get('/items?select=id,todos!inner(title)&order=id', { as: 'bob' }), [{ id: 2, todos: { title: 'of bob' } }]);
  const closed = await stack.request('GET', '/of_closed?select=id,closed(id)', { as: 'alice' });
  assert.deepEqual([closed.status, closed.json.code], [403, '42501']);
});

test('K60: inner_embedding_counts_and_windows_only_rows_that_have_one', async () => {
  const response = await stack.request('GET', '/items?select=id,todos!inner(title)&limit=1&order=id', { headers: { prefer: 'count=exact' } });
  assert.equal(response.headers.get('content-range'), '0-0/2');
  const head = await stack.request('HEAD', '/items?select=*,todos(title)', { headers: { prefer: 'count=exact' } });
  assert.equal(head.headers.get('content-range'), '0-2/3');
});

test('K60: a_view_upon_a_view_of_a_hidden_table_embeds_by_the_key_of_that_table', async () => {
  assert.deepEqual(await get('/notes?select=loud,items(txt,todos(title))&order=id'), [
    { loud: 'N1', items: { txt: 'one', todos: { title: 'of alice' } } }, { loud: 'N2', items: null }]);
  const refused = await stack.request('GET', '/computed?select=id,items(txt)');
  assert.deepEqual([refused.status, refused.json.code], [400, 'PGRST200'], 'a computed column carries no key');
});

test('K60: two_foreign_keys_to_one_table_are_PGRST201_until_one_is_named', async () => {
  const refused = await stack.request('GET', '/two_ways?select=id,items(txt)');
  assert.equal(refused.status, 300);
  assert.equal(refused.json.code, 'PGRST201');
  assert.equal(refused.json.message, "Could not embed because more than one relationship was found for 'two_ways' and 'items'");
  assert.match(refused.json.hint, /^Try changing 'items' to one of the following: 'items!note_item_id_fkey', 'items!note_second'\. Find/);
  assert.deepEqual(refused.json.details[1], { cardinality: 'many-to-one', embedding: 'two_ways with items', relationship: 'note_second using two_ways(second_id) and items(id)' });
  for (const [item, txt] of [['items!note_second(txt)', 'two'], ['items!second_id(txt)', 'two'], ['items:item_id(txt)', 'one'], ['items!item_id!inner(txt)', 'one']]) {
    assert.deepEqual((await get(`/two_ways?select=${item}&id=eq.1`))[0].items, { txt }, item);
  }
});

test('K60: a_table_that_no_key_names_is_PGRST200_as_PostgREST_says_it', async () => {
  for (const [path, parent, child] of [['/items?select=id,numbers(n)', 'items', 'numbers'], ['/todos?select=title,items(id)', 'todos', 'items'], ['/items?select=nosuch(*)', 'items', 'nosuch']]) {
    const { status, json } = await stack.request('GET', path);
    assert.deepEqual([status, json.code], [400, 'PGRST200'], path);
    assert.equal(json.message, `Could not find a relationship between '${parent}' and '${child}' in the schema cache`);
    assert.equal(json.details, `Searched for a foreign key relationship between '${parent}' and '${child}' in the schema 'api', but no matches were found.`);
  }
  const spread = await stack.request('GET', '/items?select=id,...todos(title)');
  assert.deepEqual([spread.status, spread.json.code], [400, 'PGRST200']);
});

test('K60: names_that_look_like_SQL_are_only_names', async () => {
  const name = encodeURIComponent('"the item, (1)"');
  assert.deepEqual(await get(`/${encodeURIComponent('strange "table')}?select=id,items:${name}(txt)`), [{ id: 1, items: { txt: 'one' } }]);
  for (const select of ["todos(title)) as x, (select 1", 'todos(title;drop table api.items)', 'todos!"x\\" or 1=1 --"(title)', "t\"'x:todos(title)", 'todos(title::text) from api.items--)',
    'todos("title\\", secret")']) {
    const response = await stack.request('GET', `/items?select=${encodeURIComponent(select)}`);
    assert.equal(response.status, 400, `${select}: ${response.text}`);
  }
  const alias = await get(`/items?select=${encodeURIComponent('"a\\" from pg_class --":todos(title)')}&id=eq.1`);
  assert.deepEqual(alias, [{ 'a" from pg_class --': { title: 'of alice' } }]);
  assert.equal((await get('/items')).length, 3);
});

test('K60: what_may_be_embedded_is_bounded', async () => {
  const many = Array.from({ length: 9 }, (_, n) => `a${n}:todos(title)`).join(',');
  for (const select of [many, 'todos(a(b(c(d))))']) {
    const response = await stack.request('GET', `/items?select=${select}`);
    assert.deepEqual([response.status, response.json.code], [400, 'GWT400'], select);
  }
});

test('K60: written_rows_and_rows_of_a_function_embed_too', async () => {
  const id = (await get('/todos?slug=eq.a'))[0].id;
  const prefer = { prefer: 'return=representation' };
  const inserted = await stack.request('POST', '/items?select=txt,todos(title)', { body: { id: 9, todo_id: id, txt: 'nine' }, headers: prefer });
  assert.deepEqual(inserted.json, [{ txt: 'nine', todos: { title: 'of alice' } }], inserted.text);
  const updated = await stack.request('PATCH', '/items?select=todos(title)&id=eq.9', { body: { todo_id: null }, headers: prefer });
  assert.deepEqual(updated.json, [{ todos: null }], updated.text);
  const removed = await stack.request('DELETE', '/items?select=id,todos(title)&id=eq.9', { headers: prefer });
  assert.deepEqual(removed.json, [{ id: 9, todos: null }], removed.text);
  const called = await stack.request('POST', '/rpc/some_items?select=id,todos(title)&limit=1', { body: {} });
  assert.deepEqual(called.json, [{ id: 1, todos: { title: 'of alice' } }], called.text);
});
