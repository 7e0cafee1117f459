// What a function answers: scalars, rows, single objects, CSV, counts, and what it sets itself.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open } from './harness.mjs';

let stack;
before(async () => { stack = await open(); });
after(() => stack.close());

const object = { accept: 'application/vnd.pgrst.object+json' };
const is = async (name, args, text) => {
  const response = await stack.rpc(name, args);
  assert.deepEqual([response.status, response.text], [200, text]);
};
const equals = async (name, args, value) => {
  const response = await stack.rpc(name, args);
  assert.equal(response.status, 200, response.text);
  assert.deepEqual(response.json, value);
};

test('scalars_are_bare_json', async () => {
  const response = await stack.rpc('add', { a: 1, b: 2 });
  assert.equal(response.text, '3');
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  await is('null_text', {}, 'null');
  await is('yes', {}, 'true');
  await is('notify_twice', {}, '1');
});

test('void_is_204_without_body', async () => {
  const response = await stack.rpc('nothing');
  assert.deepEqual([response.status, response.text], [204, '']);
});

test('json_is_passed_on_digit_for_digit', async () => {
  await is('document', {}, '{"a": [1, 2, {"k": null}], "f": 1.10, "z": 1, "big": 12345678901234567890}');
  await is('verbatim', {}, '{"z":1,  "a":2}');
  await is('sql_null', {}, 'null');
  await is('json_null', {}, 'null');
  await equals('json_array', {}, [1, 2]);
});

test('tables_are_arrays_of_objects_in_column_order', async () => {
  const row = (n) => ({ id: n, name: `n${n}`, ts: '2024-01-02T03:04:05.123456+00:00', j: { g: n } });
  await equals('rows', { n: 2 }, [row(1), row(2)]);
  const { json } = await stack.rpc('rows', { n: 1 });
  assert.deepEqual(Object.keys(json[0]), ['id', 'name', 'ts', 'j']);
  await is('rows', { n: 0 }, '[]');
});

test('sets_of_scalars_are_arrays', async () => {
  await equals('integers', { n: 3 }, [1, 2, 3]);
  await equals('objects', { n: 2 }, [{ g: 1 }, { g: 2 }]);
});

test('out_arguments_make_one_object', async () => {
  await equals('two_out', { a: 2 }, { x: 4, y: 'y2' });
  await equals('one_out', { a: 2 }, { x: 4 });
  await equals('in_out', { a: 2 }, { a: 4 });
});

test('a_single_object_can_be_asked_for', async () => {
  const one = await stack.rpc('rows', { n: 1 }, { headers: object });
  assert.equal(one.json.id, 1);
  for (const n of [0, 2]) {
    const other = await stack.rpc('rows', { n }, { headers: object });
    assert.deepEqual([other.status, other.json.code], [406, 'PGRST116']);
  }
});

test('nulls_can_be_stripped', async () => {
  const accept = 'application/vnd.pgrst.array+json;nulls=stripped';
  const response = await stack.rpc('partly_null', {}, { headers: { accept } });
  assert.deepEqual(response.json, [{ a: 1 }]);
});

test('rows_can_be_filtered_ordered_and_limited', async () => {
  const response = await stack.request('POST', '/rpc/rows?id=gt.1&order=id.desc&limit=1&select=id,name', { body: { n: 3 } });
  assert.deepEqual(response.json, [{ id: 3, name: 'n3' }]);
});

test('rows_can_be_csv', async () => {
  const response = await stack.request('POST', '/rpc/rows?select=id,name', { body: { n: 2 }, headers: { accept: 'text/csv' } });
  assert.equal(response.text, 'id,name\n1,n1\n2,n2');
});

test('rows_are_counted_on_request', async () => {
  const all = await stack.rpc('rows', { n: 3 }, { headers: { prefer: 'count=exact' } });
  assert.deepEqual([all.status, all.headers.get('content-range')], [200, '0-2/3']);
  const part = await stack.request('POST', '/rpc/rows?limit=1&offset=1', { body: { n: 3 }, headers: { prefer: 'count=exact' } });
  assert.deepEqual([part.status, part.headers.get('content-range')], [206, '1-1/3']);
});

test('an_unknown_media_type_is_refused', async () => {
  const response = await stack.rpc('one', {}, { headers: { accept: 'image/png' } });
  assert.deepEqual([response.status, response.json.code], [406, 'PGRST107']);
});

test('max_affected_bounds_the_rows_of_a_function', async () => {
  const strict = { prefer: 'handling=strict, max-affected=2' };
  assert.equal((await stack.rpc('rows', { n: 2 }, { headers: strict })).status, 200);
  assert.equal((await stack.rpc('rows', { n: 3 }, { headers: strict })).json.code, 'PGRST124');
  assert.equal((await stack.rpc('one', {}, { headers: strict })).json.code, 'PGRST128');
});

test('the_database_can_set_status_and_headers', async () => {
  const response = await stack.rpc('accepted');
  assert.equal(response.status, 202);
  assert.deepEqual(response.json, { ok: true });
  assert.equal(response.headers.get('x-foo'), 'bar');
  assert.deepEqual(response.headers.getSetCookie(), ['a=b', 'c=d']);
  assert.equal((await stack.rpc('with_status', { p: '429' })).status, 429);
});

test('a_status_or_header_that_is_none_is_an_error_of_the_database', async () => {
  for (const p of ['abc', '99', '1000', '101']) {
    assert.equal((await stack.rpc('with_status', { p })).json.code, 'PGRST112', p);
  }
  for (const p of ['x', '{}', '[{"a":1}]', '[{"X-A":"b\\r\\nX-C: d"}]']) {
    assert.equal((await stack.rpc('with_headers', { p })).json.code, 'PGRST111', p);
  }
});
