// Errors: Postgres' own, raised ones, missing rights; each with PostgREST's status and four fields.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open, until } from './harness.mjs';

let stack;
before(async () => { stack = await open(); });
after(() => stack.close());

const STATUSES = {
  PT429: 429, PT402: 402, PT503: 503, P0001: 400, 23505: 409, 23503: 409, 23514: 400, 40001: 503, '40P01': 503,
  57014: 503, '55P03': 503, 22023: 400, 28000: 403, 53300: 503, P0002: 500, P0003: 500, XX000: 500, 54001: 500,
  '0A000': 400, 42501: 403, AB123: 400, '57P01': 503,
};

for (const [code, status] of Object.entries(STATUSES)) {
  test(`raising_${code}_answers_${status}`, async () => {
    const response = await stack.rpc('fail', { p_code: code, p_msg: 'm1', p_detail: 'd1', p_hint: 'h1' });
    assert.equal(response.status, status);
    assert.deepEqual(response.json, { code, details: 'd1', hint: 'h1', message: 'm1' });
  });
}

test('a_plain_exception_is_400_with_null_details', async () => {
  const response = await stack.rpc('fail_plainly');
  assert.equal(response.status, 400);
  assert.deepEqual(response.json, { code: 'P0001', details: null, hint: null, message: 'plain boom' });
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(response.headers.get('proxy-status'), 'PostgREST; error=P0001');
});

test('an_exception_can_shape_the_whole_answer', async () => {
  const response = await stack.rpc('fail_shaped');
  assert.equal(response.status, 402);
  assert.deepEqual(response.json, {
    code: '123', message: 'Payment Required', details: 'Quota exceeded', hint: 'Upgrade your plan',
  });
  assert.equal(response.headers.get('x-powered-by'), 'Nerd Rage');
});

test('a_misshapen_answer_is_named_as_such', async () => {
  const response = await stack.rpc('fail_misshapen');
  assert.deepEqual([response.status, response.json.code], [500, 'PGRST121']);
});

test('errors_of_statements_carry_their_sqlstate', async () => {
  const divided = await stack.rpc('divide_by_zero');
  assert.deepEqual([divided.status, divided.json.code], [400, '22012']);
  const duplicate = await stack.rpc('duplicate');
  assert.deepEqual([duplicate.status, duplicate.json.code], [409, '23505']);
  assert.match(duplicate.json.details, /Key \(id\)=\(1\) already exists/);
});

test('a_missing_right_is_401_for_the_anonymous_and_403_for_others', async () => {
  const anonymous = await stack.rpc('forbidden', {}, { as: null });
  assert.deepEqual([anonymous.status, anonymous.json.code], [401, '42501']);
  assert.match(anonymous.headers.get('www-authenticate'), /Bearer/);
  const known = await stack.rpc('forbidden', {}, { as: 'alice' });
  assert.deepEqual([known.status, known.json.code], [403, '42501']);
  const table = await stack.request('GET', '/items', { as: null });
  assert.deepEqual([table.status, table.json.code], [401, '42501']);
});

test('unknown_tables_columns_and_operators_are_told_apart', async () => {
  const cases = [
    ['/nosuch', 404, 'PGRST205'], ['/todos?select=zzz', 400, '42703'], ['/todos?zzz=eq.1', 400, '42703'],
    ['/todos?id=zzz.1', 400, 'PGRST100'], ['/todos?id=eq.zz', 400, '22P02'], ['/todos?order=id.up', 400, 'PGRST100'],
    ['/todos?or=(id.eq.1', 400, 'PGRST100'], ['/todos?select=id,,title', 400, 'PGRST100'],
    ['/a/b', 404, 'PGRST125'], ['/todos?items.id=eq.1', 400, 'PGRST108'], ['/todos?select=count()', 400, 'PGRST123'],
  ];
  for (const [path, status, code] of cases) {
    const response = await stack.request('GET', path);
    assert.deepEqual([response.status, response.json?.code], [status, code], path);
  }
});

test('embedding_many_rows_is_refused_in_plain_words', async () => {
  const response = await stack.request('GET', '/todos?select=title,items(id,txt)');
  assert.deepEqual([response.status, response.json.code], [400, 'PGRST200']);
  assert.match(response.json.hint, /embeds the one row that a foreign key names/);
});

test('an_unknown_method_is_405', async () => {
  const response = await stack.request('PROPFIND', '/todos');
  assert.deepEqual([response.status, response.json.code], [405, 'PGRST117']);
});

test('writing_to_a_view_that_cannot_be_written_is_405_and_says_what_can_be_done', async () => {
  await stack.sql(`create view api.todo_counts as select done, count(*) as n from api.todos group by done;
    grant all on api.todo_counts to service_role; notify pgrst`);
  await until('the view', async () => (await stack.request('GET', '/todo_counts')).status === 200);
  for (const [method, body] of [['DELETE'], ['PATCH', { n: 1 }], ['POST', { n: 1 }]]) {
    const response = await stack.request(method, '/todo_counts?n=eq.0', { body });
    assert.deepEqual([response.status, response.json.code], [405, 'PGRST117'], response.text);
    assert.equal(response.headers.get('allow'), 'OPTIONS, GET, HEAD');
  }
});

test('a_body_past_the_bound_is_413_before_it_is_parsed', async () => {
  const response = await stack.rpc('takes_json', `"${'x'.repeat(21 * 1024 * 1024)}"`);
  assert.equal(response.status, 413);
});

test('null_bytes_are_refused_wherever_they_stand', async () => {
  assert.equal((await stack.request('GET', '/todos?title=eq.%00')).status, 400);
  assert.equal((await stack.request('GET', '/%00')).status, 404);
  assert.equal((await stack.request('GET', '/todos?%00=eq.1')).status, 400);
  assert.equal((await stack.rpc('is_null_text', '{"p":"\\u0000"}')).status, 400);
});
