// Profiles: a second exposed schema is reached as PostgREST has it, by every role, for functions, tables and the root.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Gateway, open, request } from './harness.mjs';

let stack;
before(async () => { stack = await open({ args: ['--schemas', 'api,archive,guarded'] }); });
after(() => stack.close());

const reading = (schema) => ({ 'accept-profile': schema });
const writing = (schema) => ({ 'content-profile': schema });
const ROLES = { null: 'anon', alice: 'authenticated', service: 'service_role' };
const callers = Object.entries(ROLES).map(([as, role]) => ({ as: as === 'null' ? null : as, role }));

for (const { as, role } of callers) {
  test(`a_function_of_another_schema_runs_as_${role}_with_that_schema_before_the_others`, async () => {
    const called = await stack.rpc('session', {}, { as, headers: writing('archive') });
    assert.deepEqual([called.status, called.json], [200, `${role} "archive", "public"`]);
    assert.equal(called.headers.get('content-profile'), 'archive');
    const got = await stack.request('GET', '/rpc/session', { as, headers: reading('archive') });
    assert.equal(got.json, called.json);
    // The next request on the same connections finds nothing of it.
    for (let n = 0; n < 20; n += 1) assert.match((await stack.rpc('whoami', {}, { as })).json.search_path, /^"?api"?, ?"?public"?$/);
  });
}

test('a_role_may_in_another_schema_what_it_is_granted_there', async () => {
  const read = (as) => stack.request('GET', '/notes?id=eq.1', { as, headers: reading('archive') });
  assert.deepEqual((await read(null)).json, [{ id: 1, v: 'x' }]);
  assert.deepEqual((await read('service')).json, [{ id: 1, v: 'x' }]);
  const denied = await read('alice');
  assert.deepEqual([denied.status, denied.json.code, denied.json.message], [403, '42501', 'permission denied for table notes']);
});

test('a_schema_that_a_role_may_not_use_is_refused_by_postgres', async () => {
  for (const [as, status] of [[null, 401], ['alice', 403]]) {
    const called = await stack.rpc('count_secrets', {}, { as, headers: writing('guarded') });
    assert.deepEqual([called.status, called.json.code, called.json.message], [status, '42501', 'permission denied for schema guarded']);
    const read = await stack.request('GET', '/secrets', { as, headers: reading('guarded') });
    assert.deepEqual([read.status, read.json.code], [status, '42501']);
  }
  assert.equal((await stack.rpc('count_secrets', {}, { headers: writing('guarded') })).text, '0');
});

test('the_header_of_the_other_direction_names_nothing', async () => {
  assert.equal((await stack.rpc('session', {}, { headers: reading('archive') })).json.code, 'PGRST202');
  assert.equal((await stack.request('GET', '/notes', { headers: writing('archive') })).json.code, 'PGRST205');
});

test('an_unknown_profile_is_406_and_names_those_that_are_exposed', async () => {
  const expected = {
    code: 'PGRST106', details: null, hint: 'Only the following schemas are exposed: api, archive, guarded', message: 'Invalid schema: mill',
  };
  const headers = { ...reading('mill'), ...writing('mill') };
  for (const [method, path] of [['POST', '/rpc/one'], ['GET', '/rpc/one'], ['GET', '/todos'], ['DELETE', '/todos'], ['OPTIONS', '/todos'], ['GET', '/']]) {
    const refused = await stack.request(method, path, { headers });
    assert.deepEqual([refused.status, refused.json], [406, expected], `${method} ${path}`);
  }
  for (const schema of ['', 'Archive', 'archive,api', '"archive"']) {
    assert.equal((await stack.rpc('whoami', {}, { headers: writing(schema) })).json.code, 'PGRST106', schema);
  }
});

test('what_is_not_found_is_named_with_its_schema', async () => {
  const none = await stack.rpc('one', {}, { headers: writing('archive') });
  assert.deepEqual([none.status, none.json.code, none.json.message],
    [404, 'PGRST202', 'Could not find the function archive.one without parameters in the schema cache']);
  const named = await stack.rpc('whoami', { p_a: 1, p_b: 2 }, { headers: writing('archive') });
  assert.equal(named.json.message, 'Could not find the function archive.whoami(p_a, p_b) in the schema cache');
  assert.match(named.json.details, /^Searched for the function archive\.whoami with parameters p_a, p_b /);
  const table = await stack.request('GET', '/todos', { headers: reading('archive') });
  assert.deepEqual([table.status, table.json.code, table.json.message],
    [404, 'PGRST205', "Could not find the table 'archive.todos' in the schema cache"]);
});

test('options_tell_what_the_schema_has', async () => {
  const options = (path, schema) => stack.request('OPTIONS', path, { headers: reading(schema) });
  assert.equal((await options('/rpc/session', 'archive')).headers.get('allow'), 'OPTIONS,GET,HEAD,POST');
  assert.equal((await options('/rpc/whoami', 'archive')).headers.get('allow'), 'OPTIONS,POST');
  assert.match((await options('/notes', 'archive')).headers.get('allow'), /POST.*DELETE/);
  for (const path of ['/rpc/session', '/notes']) assert.equal((await options(path, 'api')).status, 404, path);
});

test('the_root_describes_the_profile_that_was_asked_for', async () => {
  const root = (schema, as) => stack.request('GET', '/', { as, headers: reading(schema) });
  const archive = await root('archive');
  assert.equal(archive.headers.get('content-profile'), 'archive');
  assert.deepEqual(Object.keys(archive.json.paths).sort(), ['/notes', '/rpc/session', '/rpc/whoami']);
  assert.deepEqual(Object.keys(archive.json.definitions), ['notes']);
  assert.deepEqual(Object.keys((await root('archive', 'alice')).json.paths).sort(), ['/rpc/session', '/rpc/whoami']);
  assert.deepEqual((await root('guarded', 'alice')).json.paths, {});
  assert.ok((await stack.request('GET', '/')).json.paths['/todos']);
});

test('a_schema_made_after_the_start_is_found_after_a_notification', async () => {
  const gateway = await Gateway.start(stack.databaseUrl, ['--schemas', 'api,later']);
  try {
    const call = () => request(gateway.url, 'POST', '/rpc/one', { as: 'alice', headers: writing('later') });
    assert.deepEqual([(await call()).status, (await call()).json.code], [404, 'PGRST202']);
    await stack.sql(`create schema later; grant usage on schema later to authenticated;
      create function later.one() returns int language sql as 'select 11'; notify pgrst, 'reload schema'`);
    for (let tries = 0; (await call()).text !== '11'; tries += 1) assert.ok(tries < 500, 'the new schema was not found');
  } finally {
    await gateway.stop();
  }
});

test('the_only_schema_is_named_in_the_answer_when_it_was_asked_for', async () => {
  const gateway = await Gateway.start(stack.databaseUrl, ['--schemas', 'archive']);
  try {
    const named = await request(gateway.url, 'POST', '/rpc/whoami', { headers: writing('archive') });
    assert.deepEqual([named.text, named.headers.get('content-profile')], ['"archive"', 'archive']);
    const plain = await request(gateway.url, 'POST', '/rpc/whoami');
    assert.deepEqual([plain.text, plain.headers.get('content-profile')], ['"archive"', null]);
  } finally {
    await gateway.stop();
  }
});
