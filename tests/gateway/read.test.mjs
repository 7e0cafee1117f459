// Reading tables and views: columns, filters, order, windows, counts.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ALICE, BOB, open } from './harness.mjs';

let stack;
before(async () => {
  stack = await open();
  await stack.sql(`insert into api.todos (owner, title, slug, prio, tags, meta, amount, created_at) values
    ('${ALICE}', 't1-up', 's1', 5, '{a,b}', '{"k":1,"list":[{"x":"deep"}]}', 12.50, '2024-01-01'),
    ('${ALICE}', 't2', 's2', 1, '{b}', '{"k":2}', null, '2024-01-02'),
    ('${ALICE}', 't3', 's3', null, '{}', '{}', 1, '2024-01-03'),
    ('${ALICE}', 'b1', null, null, '{}', '{}', 2, '2024-01-04'),
    ('${ALICE}', 'b, "2"', null, null, '{}', '{}', 3, '2024-01-05'),
    ('${ALICE}', 'c1', null, null, '{}', '{}', 4, '2024-01-06')`);
  await stack.sql('analyze api.numbers');
});
after(() => stack.close());

const get = (path, options) => stack.request('GET', path, options);
const titles = async (path) => (await get(path)).json.map((row) => row.title);
const ns = async (filter) => {
  const response = await get(`/numbers?select=n&order=n&${filter}`);
  assert.equal(response.status, 200, response.text);
  return response.json.map((row) => row.n);
};
const count = (kind) => ({ headers: { prefer: `count=${kind}` } });

test('row_level_security_decides_what_is_seen', async () => {
  assert.equal((await get('/todos', { as: 'alice' })).json.length, 6);
  assert.equal((await get('/todos', { as: 'bob' })).text, '[]');
  assert.equal((await get('/todos', { as: null })).text, '[]');
  assert.equal((await get('/todos?select=id')).json.length, 6);
});

test('columns_can_be_chosen_renamed_and_cast', async () => {
  assert.equal((await get('/todos?select=z:title,a:slug&slug=eq.s2')).text, '[{"z":"t2","a":"s2"}]');
  assert.equal(typeof (await get('/todos?select=id::text&limit=1')).json[0].id, 'string');
  assert.deepEqual((await get('/todos?select=&limit=2')).json, [{}, {}]);
  const whole = (await get('/todos?slug=eq.s1')).json[0];
  assert.deepEqual(Object.keys(whole), ['id', 'owner', 'title', 'done', 'tags', 'meta', 'created_at', 'prio', 'slug', 'amount', 'big']);
});

test('paths_lead_into_json_and_arrays', async () => {
  const rows = (await get('/todos?select=k:meta->k,kt:meta->>k,meta->list->0->>x,tags->0&meta->>k=eq.1')).json;
  assert.deepEqual(rows, [{ k: 1, kt: '1', x: 'deep', tags: 'a' }]);
  assert.deepEqual(await titles('/todos?meta->k=eq.2&select=title'), ['t2']);
  assert.deepEqual(await titles('/todos?meta->k=not.is.null&order=meta->>k.desc&select=title'), ['t2', 't1-up']);
});

test('filters_combine', async () => {
  const path = '/todos?select=title&slug=in.(s1,s2,"s3")&prio=not.is.null&or=(title.like.t1*,title.eq.t2)&order=prio.desc.nullslast,id';
  assert.deepEqual(await titles(path), ['t1-up', 't2']);
});

test('every_operator_filters', async () => {
  const cases = {
    'n=eq.3': [3], 'n=neq.1&n=lt.4': [2, 3], 'n=gt.18': [19, 20], 'n=gte.19': [19, 20], 'n=lt.2': [1], 'n=lte.2': [1, 2],
    'n=in.(1,5)': [1, 5], 'n=in.()': [], 'n=not.in.(1,2)&n=lt.5': [3, 4], 'n=is.null': [], 'n=is.not_null&n=lt.2': [1],
    'n=isdistinct.1&n=lt.3': [2], 'n=eq(any).{1,2}': [1, 2], 'n=gt(all).{17,18}': [19, 20],
    'span=cs.[4,5]': [3, 4], 'span=ov.[1,1]': [1], 'span=cd.[1,5]': [1, 2, 3], 'span=sl.[4,5]': [1],
    'span=sr.[18,19]': [20], 'span=nxr.[1,4]': [1, 2], 'span=nxl.[19,20]': [19, 20], 'span=adj.[4,5]': [1, 6],
    'words=fts.7': [7], 'words=plfts(english).number 8': [8], 'words=phfts.number 9': [9], 'words=wfts.number -10&n=lt.3': [1, 2],
    'and=(n.gt.1,n.lt.4)': [2, 3], 'not.or=(n.gt.1,n.eq.0)': [1], 'or=(n.eq.1,and(n.gt.18,n.lt.20))': [1, 19],
    'or=(n.eq.1,not.and(n.gt.1,n.lt.20))': [1, 20], 'n=not.not.eq.1': [1], 'or=(n.in.(1,2),n.eq(any).{3,4})': [1, 2, 3, 4],
  };
  for (const [filter, wanted] of Object.entries(cases)) {
    assert.deepEqual(await ns(filter.replaceAll(' ', '+')), wanted, filter);
  }
});

test('text_is_matched_by_pattern', async () => {
  const of = (filter) => titles(`/todos?select=title&order=id&${filter}`);
  assert.deepEqual(await of('title=like.t*'), ['t1-up', 't2', 't3']);
  assert.deepEqual(await of('title=ilike.T2'), ['t2']);
  assert.deepEqual(await of('title=match.^t[12]'), ['t1-up', 't2']);
  assert.deepEqual(await of('title=imatch.^C'), ['c1']);
  assert.deepEqual(await of('title=like(any).{t2,c*}'), ['t2', 'c1']);
  assert.deepEqual(await of(`title=in.(${encodeURIComponent('"b, \\"2\\""')})`), ['b, "2"']);
  assert.deepEqual(await of(`or=(title.eq.${encodeURIComponent('"b, \\"2\\""')})`), ['b, "2"']);
  assert.deepEqual(await of('tags=cs.{a}'), ['t1-up']);
});

test('values_are_never_sql', async () => {
  for (const value of ["x' or '1'='1", 'x\\', '$1', "x'); drop table api.todos; --"]) {
    const response = await get(`/todos?title=eq.${encodeURIComponent(value)}`);
    assert.deepEqual([response.status, response.text], [200, '[]']);
  }
  const named = await get(`/todos?select=${encodeURIComponent('"title\\"; drop table api.todos; --"')}`);
  assert.equal(named.json.code, '42703');
  assert.equal((await get('/todos?select=id')).json.length, 6);
});

test('timestamps_with_an_encoded_plus_are_understood', async () => {
  const path = `/todos?select=id&created_at=gt.${encodeURIComponent('2020-01-01T00:00:00+00:00')}&limit=1`;
  assert.equal((await get(path)).json.length, 1);
});

test('windows_come_from_the_query_or_the_range_header', async () => {
  const counted = await get('/todos?select=id&limit=2&offset=1', count('exact'));
  assert.deepEqual([counted.status, counted.headers.get('content-range')], [206, '1-2/6']);
  const uncounted = await get('/todos?select=id&limit=2');
  assert.deepEqual([uncounted.status, uncounted.headers.get('content-range')], [200, '0-1/*']);
  const ranged = await get('/todos?select=id', { headers: { range: '0-1', 'range-unit': 'items' } });
  assert.equal(ranged.json.length, 2);
  assert.equal((await get('/todos?limit=0')).text, '[]');
});

test('impossible_windows_are_416', async () => {
  for (const [path, options] of [
    ['/todos?offset=100', count('exact')], ['/todos?limit=-1', {}], ['/todos', { headers: { range: '5-1' } }],
  ]) {
    const response = await get(path, options);
    assert.deepEqual([response.status, response.json.code], [416, 'PGRST103'], path);
  }
});

test('totals_are_exact_planned_or_estimated', async () => {
  const all = await get('/todos?select=id', count('exact'));
  assert.deepEqual([all.status, all.headers.get('content-range')], [200, '0-5/6']);
  assert.equal(all.headers.get('preference-applied'), 'count=exact');
  const planned = await get('/numbers?limit=5', count('planned'));
  assert.deepEqual([planned.status, planned.headers.get('content-range')], [206, '0-4/20']);
  const estimated = await get('/numbers?limit=5&n=lt.11', count('estimated'));
  assert.match(estimated.headers.get('content-range'), /^0-4\/1\d$/);
});

test('a_user_is_told_how_many_rows_it_may_see_and_nothing_of_how_many_there_are', async () => {
  await stack.sql(`insert into api.todos (owner, title) select '${BOB}', 'b' || n from generate_series(1, 500) n; analyze api.todos`);
  try {
    for (const kind of ['exact', 'planned', 'estimated']) {
      for (const [who, mine] of [['alice', 6], ['bob', 500]]) {
        const response = await get('/todos?select=id&limit=1', { as: who, headers: { prefer: `count=${kind}` } });
        assert.equal(response.headers.get('content-range'), `0-0/${mine}`, `${who}, ${kind}`);
        assert.equal(response.headers.get('preference-applied'), 'count=exact');
      }
      const filtered = await get(`/todos?select=id&owner=eq.${BOB}`, { as: 'alice', headers: { prefer: `count=${kind}` } });
      assert.equal(filtered.headers.get('content-range'), '*/0', `another's rows, ${kind}`);
    }
  } finally {
    await stack.sql(`delete from api.todos where owner = '${BOB}'`);
  }
});

test('head_answers_with_headers_alone', async () => {
  const response = await stack.request('HEAD', '/todos', count('exact'));
  assert.deepEqual([response.status, response.text, response.headers.get('content-range')], [200, '', '0-5/6']);
});

test('a_single_object_is_one_row_or_an_error', async () => {
  const accept = { accept: 'application/vnd.pgrst.object+json' };
  const one = await get('/todos?slug=eq.s2&select=title', { headers: accept });
  assert.equal(one.text, '{"title":"t2"}');
  assert.match(one.headers.get('content-type'), /vnd\.pgrst\.object\+json/);
  for (const [path, rows] of [['/todos?select=title', 6], ['/todos?id=eq.0', 0]]) {
    const response = await get(path, { headers: accept });
    assert.deepEqual([response.status, response.json.code], [406, 'PGRST116']);
    assert.equal(response.json.details, `The result contains ${rows} rows`);
  }
});

test('csv_has_a_line_of_names', async () => {
  const response = await get('/todos?select=slug,title&prio=not.is.null&order=id', { headers: { accept: 'text/csv' } });
  assert.equal(response.text, 'slug,title\ns1,t1-up\ns2,t2');
  assert.match(response.headers.get('content-type'), /^text\/csv/);
});

test('views_are_read_like_tables', async () => {
  assert.deepEqual((await get('/open_todos?select=title&prio=eq.1')).json, [{ title: 't2' }]);
});

test('only_columns_that_are_asked_for_need_rights', async () => {
  assert.deepEqual((await get('/partly_visible?select=id,open', { as: 'alice' })).json, [{ id: 1, open: 'open' }]);
  assert.equal((await get('/partly_visible', { as: 'alice' })).json.code, '42501');
});

test('the_schema_is_chosen_by_profile', async () => {
  const read = await get('/notes?id=eq.1', { headers: { 'accept-profile': 'archive' } });
  assert.deepEqual(read.json, [{ id: 1, v: 'x' }]);
  assert.equal(read.headers.get('content-profile'), 'archive');
  const called = await stack.rpc('whoami', {}, { headers: { 'content-profile': 'archive' } });
  assert.equal(called.text, '"archive"');
  const written = await stack.request('POST', '/notes', { body: { id: 77, v: 'n' }, headers: { 'content-profile': 'archive' } });
  assert.equal(written.status, 201);
  assert.equal((await get('/notes')).json.code, 'PGRST205');
  const unknown = await get('/notes', { headers: { 'accept-profile': 'zzz' } });
  assert.deepEqual([unknown.status, unknown.json.code], [406, 'PGRST106']);
});

test('the_rest_prefix_is_the_same_place', async () => {
  assert.equal((await get('/rest/v1/todos?select=id')).json.length, 6);
  assert.equal((await stack.request('POST', '/rest/v1/rpc/one')).text, '1');
});

test('bob_reads_nothing_of_alices_by_any_filter', async () => {
  for (const path of ['/todos', '/todos?id=gt.0', '/todos?or=(id.gt.0,owner.not.is.null)', '/rpc/all_todos']) {
    assert.equal((await get(path, { as: 'bob' })).text, '[]', path);
  }
  assert.notEqual(BOB, ALICE);
});
