// What a function is given: JSON in every form, defaults, overloads, and the other content types.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ALICE, open } from './harness.mjs';

let stack;
before(async () => { stack = await open(); });
after(() => stack.close());

const json = { 'content-type': 'application/json' };
const nulls = { p_arr: null, p_id: null, p_ts: null };
const describe = (given) => stack.rpc('describe', { p_j: {}, ...nulls, ...given });
const answers = (response, status, text) => {
  assert.equal(response.status, status, response.text);
  if (text !== undefined) assert.equal(response.text, text);
};
const fails = (response, status, code) => {
  assert.deepEqual([response.status, response.json?.code], [status, code], response.text);
};

test('arguments_of_every_kind_arrive_and_omitted_ones_take_their_defaults', async () => {
  const response = await stack.rpc('describe', {
    p_j: { a: [1, 'x'] }, p_arr: ['a', 'b"c,{}'], p_id: ALICE, p_ts: '2024-05-06T07:08:09.123Z',
  });
  assert.deepEqual(response.json, {
    j: { a: [1, 'x'] }, jt: 'object', arr: ['a', 'b"c,{}'], n: 2, id: ALICE,
    ts: '2024-05-06T07:08:09.123+00:00', i: 7, t: 'dflt', b: null,
  });
});

test('jsonb_takes_any_json_and_a_string_stays_a_string', async () => {
  for (const [value, type] of [[[1, 2], 'array'], ['str', 'string'], ['{"a":1}', 'string'], [5.1, 'number'], [true, 'boolean']]) {
    assert.equal((await describe({ p_j: value })).json.jt, type, JSON.stringify(value));
  }
});

test('a_null_argument_is_sql_null_for_every_type', async () => {
  for (const type of ['text', 'int', 'uuid', 'jsonb', 'array', 'time', 'bool', 'bytea']) {
    answers(await stack.rpc(`is_null_${type}`, { p: null }), 200, 'true');
  }
  const described = await describe({ p_j: null, p_i: null });
  assert.equal(described.json.jt, null);
  assert.equal(described.json.i, null, 'null is not the default');
});

test('numbers_keep_every_digit', async () => {
  const response = await stack.rpc('takes_json', '{"n":12345678901234567890123,"d":1.10}');
  answers(response, 200, '{"got": {"d": 1.10, "n": 12345678901234567890123}}');
});

test('arrays_come_as_json_or_as_a_literal', async () => {
  assert.deepEqual((await describe({ p_arr: '{a,b}' })).json.arr, ['a', 'b']);
  assert.deepEqual((await describe({ p_arr: ['a', null] })).json.arr, ['a', null]);
  assert.equal((await describe({ p_arr: [] })).json.n, 0);
});

test('postgres_converts_between_text_and_numbers', async () => {
  assert.equal((await describe({ p_t: 5 })).json.t, '5');
  assert.equal((await describe({ p_i: '12' })).json.i, 12);
});

test('rarer_types_arrive_whole', async () => {
  const response = await stack.rpc('describe_rare', {
    p_ia: [1, 2], p_ua: [ALICE], p_n: '1.230', p_big: '9007199254740993', p_d: '2024-02-03',
    p_by: '\\x00ff', p_iv: '1 day', p_ja: [{ a: 1 }, [2]],
  });
  assert.match(response.text, /"big": ?9007199254740993/);
  assert.match(response.text, /"n": ?1\.230/);
  assert.deepEqual(response.json.ja, [{ a: 1 }, [2]]);
  assert.equal(response.json.by, '\\x00ff');
});

test('a_value_of_the_wrong_type_is_a_clients_mistake', async () => {
  const uuid = await describe({ p_id: 'zz' });
  fails(uuid, 400, '22P02');
  assert.match(uuid.json.message, /invalid input syntax for type uuid/);
  fails(await describe({ p_ts: 'zz' }), 400, '22007');
  fails(await stack.rpc('takes_mood', { m: 'x' }), 400, '22P02');
});

test('missing_and_unknown_arguments_find_no_function', async () => {
  fails(await stack.rpc('describe', { p_j: {} }), 404, 'PGRST202');
  fails(await stack.rpc('add', { a: 1, b: 2, zzz: 3 }), 404, 'PGRST202');
  const missing = await stack.rpc('nosuch', {});
  fails(missing, 404, 'PGRST202');
  assert.equal(missing.json.message, 'Could not find the function api.nosuch without parameters in the schema cache');
  fails(await stack.rpc('a_procedure', { a: 1 }), 404, 'PGRST202');
  fails(await stack.rpc('add', [1, 2]), 404, 'PGRST202');
});

test('a_body_that_is_no_json_is_refused', async () => {
  fails(await stack.rpc('add', '{bad', { headers: json }), 400, 'PGRST102');
  fails(await stack.rpc('add', 'a=1', { headers: { 'content-type': 'application/pdf' } }), 400, 'PGRST102');
});

test('an_empty_body_gives_no_arguments', async () => {
  answers(await stack.request('POST', '/rpc/quoted_text'), 200, '"hé \\"q\\""');
});

test('json_keeps_its_text', async () => {
  answers(await stack.rpc('echo_json', '{"p_j":{"z":1,"a":2}}'), 200, '{"z":1,"a":2}');
});

test('overloads_are_chosen_by_the_names_given', async () => {
  answers(await stack.rpc('overloaded', { a: 1 }), 200, '"int:1"');
  answers(await stack.rpc('overloaded', { a: 1, b: 2 }), 200, '"int,int:1,2"');
  fails(await stack.rpc('ambiguous', { a: 1 }), 300, 'PGRST203');
});

test('a_single_unnamed_argument_takes_the_whole_body', async () => {
  const typed = (type, body) => ({ headers: { 'content-type': type }, body });
  assert.deepEqual((await stack.rpc('takes_json', { x: 1 })).json, { got: { x: 1 } });
  assert.deepEqual((await stack.rpc('takes_json', [1])).json, { got: [1] });
  answers(await stack.request('POST', '/rpc/takes_text', typed('text/plain', 'hello')), 200, '"T:hello"');
  const bytes = new Uint8Array([0, 255, 1]);
  answers(await stack.request('POST', '/rpc/takes_bytes', typed('application/octet-stream', bytes)), 200, '"00ff01"');
  fails(await stack.request('POST', '/rpc/takes_text', typed('application/octet-stream', bytes)), 404, 'PGRST202');
});

test('enums_and_composites_arrive', async () => {
  answers(await stack.rpc('takes_mood', { m: 'ok' }), 200, '"ok"');
  assert.deepEqual((await stack.rpc('takes_pair', { c: { a: 1, b: 'z' } })).json, { a: 1, b: 'z' });
  const pairs = await stack.rpc('takes_pairs', { c: [{ a: 1, b: 'z' }, { a: 2 }] });
  assert.deepEqual(pairs.json, [{ a: 1, b: 'z' }, { a: 2, b: null }]);
});

test('variadic_arguments_come_as_an_array_or_repeated', async () => {
  answers(await stack.rpc('count_words', { p: ['a', 'b'] }), 200, '2');
  answers(await stack.request('GET', '/rpc/count_words?p=a&p=b&p=c'), 200, '3');
});

test('forms_are_arguments_too', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  answers(await stack.rpc('add', 'a=3&b=4', { headers }), 200, '7');
});

test('get_takes_arguments_from_the_query_string', async () => {
  answers(await stack.request('GET', '/rpc/add?a=3&b=4'), 200, '7');
  answers(await stack.request('HEAD', '/rpc/one'), 200, '');
  assert.deepEqual((await stack.request('GET', '/rpc/words?p={a,b}')).json, ['a', 'b']);
  assert.deepEqual((await stack.request('GET', '/rpc/rows?n=3&id=gt.2&select=id')).json, [{ id: 3 }]);
  fails(await stack.request('GET', '/rpc/add?a=3&b=4&zzz=5'), 404, 'PGRST202');
});

test('get_cannot_write', async () => {
  fails(await stack.request('GET', '/rpc/add_note?p=q'), 405, '25006');
});

test('other_methods_are_refused_on_functions', async () => {
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    fails(await stack.request(method, '/rpc/one', { body: {} }), 405, 'PGRST101');
  }
});

test('the_removed_single_object_preference_changes_nothing', async () => {
  const response = await stack.rpc('takes_json', { x: 1 }, { headers: { prefer: 'params=single-object' } });
  answers(response, 200);
});
