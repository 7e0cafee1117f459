// What the database sees of a request, and that nothing of one request is seen by another.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open, until } from './harness.mjs';

let stack;
// One connection, so that every request meets what the one before left.
before(async () => { stack = await open({ args: ['--pool', '1'] }); });
after(() => stack.close());

const whoami = async (options) => (await stack.rpc('whoami', {}, options)).json;

test('headers_cookies_method_and_path_can_be_read', async () => {
  const seen = await whoami({ headers: { 'x-custom': 'yes', cookie: 'k=v; l=w' } });
  assert.equal(seen.headers['x-custom'], 'yes');
  assert.equal(seen.headers.cookie, undefined);
  assert.deepEqual(seen.cookies, { k: 'v', l: 'w' });
  assert.deepEqual([seen.method, seen.path], ['POST', '/rpc/whoami']);
});

test('the_search_path_is_the_profile_and_the_extra_path', async () => {
  assert.match((await whoami()).search_path, /^"?api"?, ?"?public"?$/);
});

test('role_settings_and_function_settings_apply', async () => {
  assert.equal((await whoami({ as: null })).timeout, '3s');
  assert.equal((await whoami({ as: 'alice' })).timeout, '8s');
  assert.equal((await whoami()).timeout, '30s');
  assert.equal((await whoami()).isolation, 'read committed');
  assert.equal((await stack.rpc('serializable')).text, '"serializable"');
  assert.equal((await whoami()).isolation, 'read committed');
});

test('a_statement_past_its_time_is_cancelled_by_postgres', async () => {
  const started = Date.now();
  const slow = await stack.rpc('sleep', { s: 6 }, { as: null });
  assert.deepEqual([slow.status, slow.json.code], [503, '57014']);
  assert.ok(Date.now() - started < 5000);
  const impatient = await stack.rpc('sleep_impatiently', { s: 2 });
  assert.deepEqual([impatient.status, impatient.json.code], [503, '57014']);
});

test('reading_requests_cannot_write', async () => {
  assert.equal((await whoami()).read_only, 'off');
  assert.equal((await stack.request('GET', '/rpc/whoami')).json.read_only, 'on');
});

test('a_plain_setting_is_gone_by_the_next_request', async () => {
  const { pid } = await whoami();
  await stack.rpc('leave_setting');
  const after = await whoami();
  assert.equal(after.pid, pid, 'the same connection');
  assert.equal(after.left_behind, null);
});

test('a_plain_set_role_is_gone_by_the_next_request', async () => {
  await stack.rpc('leave_role', {}, { as: null });
  const after = await whoami({ as: null });
  assert.deepEqual([after.user, after.role], ['anon', 'anon']);
  assert.equal((await stack.rpc('forbidden', {}, { as: null })).status, 401);
});

test('a_temporary_table_is_gone_by_the_next_request', async () => {
  await stack.rpc('leave_table');
  assert.equal((await stack.rpc('count_left_tables')).text, '0');
});

test('a_session_lock_is_gone_by_the_next_request', async () => {
  await stack.rpc('leave_lock');
  await whoami();
  const held = await stack.sql("select from pg_locks where locktype = 'advisory'");
  assert.equal(held.length, 0);
});

test('an_error_leaves_no_open_transaction', async () => {
  for (const call of [['divide_by_zero'], ['fail', { p_code: '40001' }], ['nosuch'], ['takes_mood', { m: 'x' }]]) {
    await stack.rpc(...call);
  }
  await stack.request('DELETE', '/todos?id=gt.0', { headers: { prefer: 'handling=strict,max-affected=-1' } });
  const open = await stack.sql("select state from pg_stat_activity where usename = 'authenticator' and state <> 'idle'");
  assert.deepEqual(open, []);
  assert.equal((await stack.rpc('one')).text, '1');
});

test('new_and_changed_functions_are_found_after_a_notification', async () => {
  assert.equal((await stack.rpc('brand_new')).status, 404);
  await stack.sql("create function api.brand_new() returns int language sql as 'select 1'; notify pgrst, 'reload schema'");
  await until('the new function', async () => (await stack.rpc('brand_new')).text === '1');
  for (let n = 0; n < 5; n += 1) await stack.rpc('brand_new');
  await stack.sql("drop function api.brand_new(); create function api.brand_new() returns text language sql as $$ select 'two'::text $$; notify pgrst");
  await until('the changed function', async () => (await stack.rpc('brand_new')).text === '"two"');
});

test('many_different_statements_stay_within_the_cache', async () => {
  for (let n = 0; n < 300; n += 1) {
    const columns = ['id', 'title', 'done'].map((name) => `c${n}${name}:${name}`).join(',');
    for (let again = 0; again < 2; again += 1) {
      assert.equal((await stack.request('GET', `/todos?select=${columns}&limit=1`)).status, 200);
    }
  }
});

test('the_root_lists_what_the_role_can_use', async () => {
  const service = (await stack.request('GET', '/')).json;
  assert.equal(service.swagger, '2.0');
  assert.ok(service.paths['/items'].post && service.paths['/rpc/forbidden']);
  const anonymous = (await stack.request('GET', '/', { as: null })).json;
  assert.ok(anonymous.paths['/todos'] && !anonymous.paths['/items'] && !anonymous.paths['/rpc/forbidden']);
});

test('pages_of_this_machine_are_let_in_and_others_are_told_nothing', async () => {
  const asked = { origin: 'http://localhost:5173', 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization, x-mine' };
  const preflight = await stack.request('OPTIONS', '/todos', { headers: asked, as: null });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get('access-control-allow-headers'), /authorization.*x-mine/);
  const from = (origin) => stack.request('POST', '/rpc/one', { headers: { origin }, body: {} });
  assert.equal((await from('http://localhost:5173')).headers.get('access-control-allow-origin'), 'http://localhost:5173');
  const other = await from('http://x');
  assert.deepEqual([...other.headers.keys()].filter((name) => name.startsWith('access-control')), []);
  assert.match(other.headers.get('vary'), /origin/i);
  assert.match((await stack.request('OPTIONS', '/todos')).headers.get('allow'), /GET.*POST.*DELETE/);
});
