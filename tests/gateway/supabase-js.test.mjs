// supabase-js as an application uses it: createClient(url, key), nothing else.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createClient } from '@supabase/supabase-js';

import { ALICE, open, tokens } from './harness.mjs';


let stack;
let service;
let alice;
// Node 20 has no WebSocket, and nothing here opens a channel.
const quiet = { auth: { persistSession: false, autoRefreshToken: false }, db: { schema: 'api' }, realtime: { transport: class {} } };
before(async () => {
  stack = await open();
  service = createClient(stack.url, tokens.service, quiet);
  alice = createClient(stack.url, tokens.service, { ...quiet, global: { headers: { authorization: `Bearer ${tokens.alice}` } } });
});
after(() => stack.close());
beforeEach(() => stack.sql('truncate api.todos, api.memberships restart identity cascade'));

const data = async (builder) => {
  const answer = await builder;
  assert.equal(answer.error, null, JSON.stringify(answer.error));
  return answer.data;
};
const fails = async (builder, status, code) => {
  const answer = await builder;
  assert.deepEqual([answer.status, answer.error?.code], [status, code], JSON.stringify(answer));
};

test('rpc_takes_null_array_jsonb_uuid_and_timestamptz', async () => {
  const described = await data(service.rpc('describe', {
    p_j: { a: [1, null] }, p_arr: ['x', 'y,"z"'], p_id: ALICE, p_ts: new Date(0).toISOString(), p_i: null, p_t: undefined,
  }));
  assert.deepEqual(described, {
    j: { a: [1, null] }, jt: 'object', arr: ['x', 'y,"z"'], n: 2, id: ALICE, ts: '1970-01-01T00:00:00+00:00', i: null, t: 'dflt', b: null,
  });
  assert.equal(await data(service.rpc('is_null_text', { p: null })), true);
});

test('rpc_answers_scalars_rows_and_nothing', async () => {
  assert.equal(await data(service.rpc('add', { a: 1, b: 2 })), 3);
  assert.equal(await data(service.rpc('nothing')), null);
  assert.equal((await data(service.rpc('rows', { n: 1 }).single())).id, 1);
  assert.equal(await data(service.rpc('rows', { n: 0 }).maybeSingle()), null);
  assert.deepEqual(await data(service.rpc('rows', { n: 3 }).select('id').gt('id', 1).limit(1)), [{ id: 2 }]);
});

test('rpc_can_be_a_get', async () => {
  assert.equal(await data(service.rpc('add', { a: 3, b: 4 }, { get: true })), 7);
  assert.deepEqual(await data(service.rpc('words', { p: ['a', 'b'] }, { get: true })), ['a', 'b']);
  assert.equal((await service.rpc('rows', { n: 3 }, { head: true, count: 'exact' })).count, 3);
});

test('rows_are_inserted_upserted_updated_and_deleted_under_row_level_security', async () => {
  const todo = { owner: ALICE, title: 'js', slug: 'js1' };
  assert.deepEqual(await data(alice.from('todos').insert(todo).select('title,slug').single()), { title: 'js', slug: 'js1' });
  assert.deepEqual(await data(alice.from('todos').upsert({ ...todo, title: 'js2' }, { onConflict: 'slug' }).select('title')), [{ title: 'js2' }]);
  const ignored = alice.from('todos').upsert([{ ...todo, title: 'js3' }, { ...todo, slug: 'js4', title: 'js4' }], { onConflict: 'slug', ignoreDuplicates: true });
  assert.deepEqual(await data(ignored.select('title')), [{ title: 'js4' }]);
  const updated = alice.from('todos').update({ done: true, meta: { a: null } }).eq('slug', 'js1').select('done,meta');
  assert.deepEqual(await data(updated), [{ done: true, meta: { a: null } }]);
  assert.deepEqual(await data(alice.from('todos').delete().eq('slug', 'js1').select('slug')), [{ slug: 'js1' }]);
  assert.deepEqual(await data(alice.from('todos').insert({ owner: ALICE, title: 'n', prio: null, meta: null, tags: null }).select('prio,meta,tags')), [{ prio: null, meta: null, tags: null }]);
});

test('an_upsert_on_a_composite_conflict_updates', async () => {
  const upsert = (rank) => service.from('memberships').upsert({ team: 1, member: 2, rank }, { onConflict: 'team,member' }).select();
  await data(upsert('a'));
  assert.deepEqual(await data(upsert('b')), [{ team: 1, member: 2, rank: 'b' }]);
});

test('rows_are_selected_with_filters_order_range_and_count', async () => {
  await stack.sql(`insert into api.todos (owner, title, slug, prio, meta) values
    ('${ALICE}', 'one', 'a', 1, '{"a":1}'), ('${ALICE}', 'two', 'b', 2, '{}'), ('${ALICE}', 'three', 'c', null, '{}')`);
  const first = await alice.from('todos').select('title', { count: 'exact' }).order('id').range(0, 0);
  assert.deepEqual([first.data, first.count], [[{ title: 'one' }], 3]);
  assert.equal((await alice.from('todos').select('*', { count: 'exact', head: true })).count, 3);
  const slugs = async (builder) => (await data(builder.order('id'))).map((row) => row.slug);
  const of = () => alice.from('todos').select('slug');
  assert.deepEqual(await slugs(of().in('slug', ['a', 'c']).contains('meta', {})), ['a', 'c']);
  assert.deepEqual(await slugs(of().or('slug.eq.a,title.ilike.*WO')), ['a', 'b']);
  assert.deepEqual(await slugs(of().is('prio', null)), ['c']);
  assert.deepEqual(await slugs(of().not('prio', 'is', null).like('title', 't%')), ['b']);
  assert.deepEqual(await slugs(of().gte('prio', 1).lt('prio', 2).neq('slug', 'z').match({ title: 'one' })), ['a']);
  assert.deepEqual(await data(alice.from('todos').select('meta->a').eq('slug', 'a')), [{ a: 1 }]);
  assert.equal(await data(alice.from('todos').select('slug,title').eq('slug', 'b').csv()), 'slug,title\nb,two');
  assert.equal(await data(alice.from('todos').select().eq('id', -1).maybeSingle()), null);
});

test('errors_carry_their_codes', async () => {
  await fails(alice.from('todos').select().eq('id', -1).single(), 406, 'PGRST116');
  await fails(service.rpc('fail', { p_code: 'PT429', p_msg: 'slow' }), 429, 'PT429');
  await fails(service.rpc('fail', { p_code: '40001' }), 503, '40001');
  await fails(service.rpc('nosuch'), 404, 'PGRST202');
  await fails(alice.from('todos').insert({ owner: null, title: 'x' }), 403, '42501');
  await fails(alice.from('todos').select('*, items(*)'), 400, 'PGRST200');
  await data(service.from('memberships').insert([{ team: 1, member: 1 }, { team: 1, member: 2 }]));
  await fails(service.from('memberships').delete().gt('team', 0).maxAffected(1), 400, 'PGRST124');
});

test('another_schema_is_a_profile', async () => {
  assert.deepEqual(await data(service.schema('archive').from('notes').select('v').eq('id', 1)), [{ v: 'x' }]);
  assert.equal(await data(service.schema('archive').rpc('whoami')), 'archive');
});

test('an_aborted_call_is_over_for_both', async () => {
  const { error } = await service.rpc('sleep', { s: 30 }).abortSignal(AbortSignal.timeout(300));
  assert.ok(error);
  const busy = async () => (await stack.sql("select from pg_stat_activity where state = 'active' and query like '%\"sleep\"%' and pid <> pg_backend_pid()")).length;
  for (let tries = 0; (await busy()) > 0; tries += 1) assert.ok(tries < 500, 'still running');
});
