// One caller cannot hurt the others: turns, reserved connections, costly queries, large answers, slow readers.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { ALICE, BOB, Gateway, open, request, tokens, until } from './harness.mjs';

let stack;
before(async () => {
  stack = await open();
  // Twenty documents of one megabyte for Alice, one small one for Bob. The bounds are the gateway's own.
  await stack.sql(`
    alter role authenticated reset statement_timeout;
    create table api.docs (id int primary key, owner uuid, body text);
    alter table api.docs enable row level security;
    create policy owners_alone on api.docs for all to authenticated
      using (owner = (select (current_setting('request.jwt.claims', true)::jsonb ->> 'sub')::uuid));
    grant select, update on api.docs to authenticated, service_role;
    insert into api.docs select n, '${ALICE}', repeat(md5(n::text), 32768) from generate_series(1, 20) n;
    insert into api.docs values (100, '${BOB}', 'small');
    create table api.many (n int primary key);
    insert into api.many select generate_series(1, 2500);
    create table api.touched (n int);
    create function api.touch(count int) returns setof int language sql volatile as
      'insert into api.touched select generate_series(1, count) returning n';
    create function api.large_text(megabytes int) returns text language sql volatile as
      $$ insert into api.touched values (-1); select repeat('x', megabytes * 1048576) $$;
    create function api.large_rows(megabytes int) returns setof text language sql stable as
      $$ select repeat('x', 1048576) from generate_series(1, megabytes) $$;
    create function api.refused() returns int language plpgsql volatile as
      $$ begin insert into api.touched values (0); return 1; end $$;
    grant select on api.many, api.touched to authenticated, service_role;
    grant insert on api.touched to authenticated, service_role;
    grant execute on all functions in schema api to authenticated, service_role;
    revoke execute on function api.forbidden() from public, anon, authenticated;
    notify pgrst`);
  await until('the new tables', async () => (await stack.request('GET', '/many?limit=1')).status === 200);
});
after(() => stack.close());

const get = (path, options) => stack.request('GET', path, options);
const metric = async (name, gateway = stack.gateway) => {
  const page = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
  return Number(page.split('\n').find((line) => line.startsWith(`gristmill_gateway_${name} `))?.split(' ').at(-1));
};
const refusals = (reason, gateway) => metric(`refusals_total{reason="${reason}"}`, gateway);
/** None matches, so each is held against every document. */
const regexes = (count) => encodeURI(`or=(${Array.from({ length: count }, (_, n) => `body.match."[0-9a-f]+x${n}[c-e]*y"`).join(',')})`);

test('twelve_slow_reads_of_one_user_cost_nobody_else_an_error', async () => {
  // The attack as it was found, and one with queries that are just cheap enough to be let in.
  for (const [terms, documents] of [[400, 20], [10, 5]]) {
    let running = true;
    const attack = Promise.all(Array.from({ length: 12 }, () => get(`/docs?select=id&id=lte.${documents}&${regexes(terms)}`, { as: 'alice' })))
      .finally(() => { running = false; });
    const others = async () => {
      const answers = [];
      do {
        answers.push(...await Promise.all([
          get('/docs?select=id,body', { as: 'bob' }), stack.rpc('one'), stack.rpc('add', { a: 1, b: 2 }),
        ]));
      } while (running && answers.length < 3000);
      return answers;
    };
    const [attacked, served] = await Promise.all([attack, others()]);
    assert.deepEqual([...new Set(served.map((answer) => answer.status))], [200], `${terms} terms: ${served.find((a) => a.status !== 200)?.text}`);
    assert.ok(served.length >= 3);
    if (terms === 400) {
      for (const answer of attacked) assert.deepEqual([answer.status, answer.json.code], [400, 'GWT400']);
    } else {
      for (const answer of attacked) assert.ok([200, 429, 503].includes(answer.status), answer.text);
    }
  }
});

test('users_cannot_take_the_connections_that_are_reserved_for_the_service', async () => {
  const gateway = await Gateway.start(stack.databaseUrl, ['--pool', '4', '--reserved', '2']);
  try {
    const users = Array.from({ length: 4 }, (_, n) => request(gateway.url, 'POST', '/rpc/sleep', {
      body: { s: 1.5 }, as: n % 2 ? 'alice' : 'bob',
    }));
    await until('users to have their part', async () => (await metric('pool_users_busy', gateway)) === 2);
    const started = Date.now();
    const service = await Promise.all([1, 2].map(() => request(gateway.url, 'POST', '/rpc/one')));
    assert.deepEqual(service.map((answer) => answer.text), ['1', '1']);
    assert.ok(Date.now() - started < 1400, 'without waiting for a user');
    assert.equal(await metric('pool_users_busy', gateway), 2);
    for (const answer of await Promise.all(users)) assert.equal(answer.status, 200, answer.text);
  } finally {
    await gateway.stop();
  }
});

test('a_caller_with_too_many_requests_gets_429_with_retry_after_and_others_do_not', async () => {
  const gateway = await Gateway.start(stack.databaseUrl, ['--per-caller', '1', '--per-caller-queue', '1']);
  try {
    const slow = () => request(gateway.url, 'POST', '/rpc/sleep', { body: { s: 0.5 }, as: 'alice' });
    const answers = await Promise.all([slow(), slow(), slow(), request(gateway.url, 'POST', '/rpc/one', { as: 'bob' })]);
    assert.equal(answers.pop().text, '1');
    const refused = answers.filter((answer) => answer.status === 429);
    assert.equal(refused.length, 1);
    assert.equal(refused[0].json.code, 'GWT429');
    assert.deepEqual(Object.keys(refused[0].json).sort(), ['code', 'details', 'hint', 'message']);
    assert.ok(refused[0].headers.get('retry-after'));
    assert.equal(await refusals('caller_busy', gateway), 1);
    // Anonymous callers are told apart by their address.
    const anonymous = await Promise.all([1, 2, 3].map(() => request(gateway.url, 'POST', '/rpc/sleep', { body: { s: 0.5 }, as: null })));
    assert.equal(anonymous.filter((answer) => answer.status === 429).length, 1);
  } finally {
    await gateway.stop();
  }
});

test('a_statement_timeout_is_503_with_retry_after_and_bounds_hold_without_role_settings', async () => {
  const before = await refusals('statement_timeout');
  const timeoutIs = (value) => until(`the timeout of anon being ${value}`, async () => (await stack.rpc('whoami', {}, { as: null })).json.timeout === value, 10_000);
  try {
    // Another value than the gateway's own first, or a setting that was not yet taken back would look like it.
    await stack.sql("alter role anon set statement_timeout = '7s'; notify pgrst");
    await timeoutIs('7s');
    await stack.sql("alter role anon reset statement_timeout; notify pgrst");
    await timeoutIs('3s');
    const slow = await stack.rpc('sleep_impatiently', { s: 2 }, { as: null });
    assert.deepEqual([slow.status, slow.json.code], [503, '57014']);
    assert.ok(slow.headers.get('retry-after'));
    assert.equal(await refusals('statement_timeout'), before + 1);
  } finally {
    await stack.sql("alter role anon set statement_timeout = '3s'; notify pgrst");
  }
});

test('costly_queries_are_refused_with_the_bound_that_they_pass', async () => {
  const columns = (count) => Array.from({ length: count }, (_, n) => `c${n}:body`).join(',');
  const cases = [
    [`/docs?select=${columns(30)}`, '30 items in select that read the same column, and 16 are allowed'],
    [`/many?${Array.from({ length: 101 }, () => 'n=gt.0').join('&')}`, '101 terms in filters, and 100 are allowed'],
    ['/docs?body=like(any).{a,b,c,d,e,f,g,h,i,j,k}', '11 patterns in filters, and 10 are allowed'],
    [`/docs?body=imatch.${'x'.repeat(257)}`, '257 characters in a pattern, and 256 are allowed'],
    [`/many?select=${Array.from({ length: 201 }, (_, n) => `c${n}:n${n}`).join(',')}`, '201 items in select, and 200 are allowed'],
    [`/many?order=${Array.from({ length: 101 }, () => 'n').join(',')}`, '101 terms in order, and 100 are allowed'],
  ];
  for (const [path, what] of cases) {
    const response = await get(path);
    assert.deepEqual([response.status, response.json.code, response.json.message], [400, 'GWT400', `The query is too costly: ${what}`]);
  }
  const inRpc = await stack.request('POST', `/rpc/rows?${Array.from({ length: 11 }, () => 'name=match.x').join('&')}`, { body: { n: 1 } });
  assert.equal(inRpc.json.code, 'GWT400');
});

test('an_answer_has_a_thousand_rows_at_most_and_the_total_is_still_right', async () => {
  const shown = async (path, options) => {
    const response = await get(path, options);
    return [response.status, response.json.length, response.headers.get('content-range')];
  };
  const exact = { headers: { prefer: 'count=exact' } };
  assert.deepEqual(await shown('/many'), [200, 1000, '0-999/*']);
  assert.deepEqual(await shown('/many', exact), [206, 1000, '0-999/2500']);
  assert.deepEqual(await shown('/many?limit=2000', exact), [206, 1000, '0-999/2500']);
  assert.deepEqual(await shown('/many?offset=2000', exact), [206, 500, '2000-2499/2500']);
  assert.deepEqual(await shown('/many?n=gt.2600', exact), [200, 0, '*/0']);
  assert.deepEqual(await shown('/many?n=lt.1', exact), [200, 0, '*/0']);
  assert.deepEqual(await shown('/many?limit=0', exact), [206, 0, '*/2500']);
  assert.deepEqual(await shown('/many', { as: 'alice', headers: { range: '10-1999' } }), [200, 1000, '10-1009/*']);
  const called = await stack.rpc('integers', { n: 1500 }, exact);
  assert.deepEqual([called.status, called.json.length, called.headers.get('content-range')], [206, 1000, '0-999/1500']);
  const head = await stack.request('HEAD', '/many', exact);
  assert.deepEqual([head.status, head.headers.get('content-range')], [206, '0-999/2500']);
  const ordered = (await get('/many?order=n.desc', exact)).json.map((row) => row.n);
  assert.deepEqual(ordered, Array.from({ length: 1000 }, (_, at) => 2500 - at));
});

test('a_function_that_writes_runs_to_its_end_although_its_answer_is_cut', async () => {
  await stack.sql('truncate api.touched');
  const answer = await stack.rpc('touch', { count: 1500 });
  assert.equal(answer.json.length, 1000, answer.text.slice(0, 200));
  assert.equal((await stack.sql('select count(*)::int as n from api.touched'))[0].n, 1500);
});

const peak = (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
/** Memory of its own: shared buffers are in the peak of every process. */
const own = (pid) => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

test('an_answer_that_is_too_large_is_413_and_neither_gateway_nor_postgres_hold_it', async () => {
  const gateway = await Gateway.start(stack.databaseUrl, ['--per-caller', '4']);
  const columns = Array.from({ length: 16 }, (_, n) => `c${n}:body`).join(',');
  let backends = 0;
  const watching = setInterval(async () => {
    const pids = await stack.sql("select pid from pg_stat_activity where usename = 'authenticator'").catch(() => []);
    for (const { pid } of pids) try { backends = Math.max(backends, own(pid)); } catch { /* it has ended */ }
  }, 20);
  try {
    const ask = () => request(gateway.url, 'GET', `/docs?select=${columns}`, { as: 'alice' });
    const one = await ask();
    assert.deepEqual([one.status, one.json.code], [413, 'GWT413'], one.text.slice(0, 200));
    assert.match(one.json.message, /larger than 33554432 bytes/);
    assert.match(one.json.hint, /fewer rows/);
    // Four at once hold too much for one caller before each is too large by itself.
    for (const answer of await Promise.all([ask(), ask(), ask(), ask()])) {
      assert.ok(['GWT413', 'GWT429'].includes(answer.json.code), answer.text.slice(0, 200));
    }
    const rows = await request(gateway.url, 'GET', '/rpc/large_rows?megabytes=200', { as: 'alice' });
    assert.deepEqual([rows.status, rows.json.code], [413, 'GWT413']);
    assert.ok(peak(gateway.pid) < 400, `the gateway took ${peak(gateway.pid)} MB`);
    assert.ok(backends < 400, `a backend took ${backends} MB`);
    // What fits is sent, and the connections are as good as new.
    const fits = await request(gateway.url, 'GET', '/docs?select=id,body&limit=20', { as: 'alice' });
    assert.equal(fits.json.length, 20);
    const counted = await refusals('answer_too_large', gateway) + await refusals('caller_memory', gateway);
    assert.equal(counted, 6);
    await until('every connection to be free', async () => (await metric('pool_busy', gateway)) === 0);
    assert.equal((await stack.sql("select from pg_stat_activity where usename = 'authenticator' and state <> 'idle'")).length, 0);
  } finally {
    clearInterval(watching);
    await gateway.stop();
  }
});

test('a_write_whose_answer_is_too_large_changes_nothing', async () => {
  const columns = Array.from({ length: 4 }, (_, n) => `c${n}:body`).join(',');
  const written = await stack.request('PATCH', `/docs?select=${columns}&id=lt.50`, {
    as: 'alice', body: { owner: ALICE, body: 'y'.repeat(1024 * 1024) }, headers: { prefer: 'return=representation' },
  });
  assert.deepEqual([written.status, written.json.code, written.json.details], [413, 'GWT413', null]);
  assert.equal((await stack.sql("select count(*)::int as n from api.docs where body like 'y%'"))[0].n, 0);
});

test('a_function_that_writes_and_answers_too_much_says_that_its_changes_are_kept', async () => {
  await stack.sql('truncate api.touched');
  const answer = await stack.rpc('large_text', { megabytes: 60 });
  assert.deepEqual([answer.status, answer.json.code], [413, 'GWT413']);
  assert.match(answer.json.details, /what it changed is kept/);
  assert.equal((await stack.sql('select count(*)::int as n from api.touched'))[0].n, 1);
  assert.equal((await stack.rpc('one')).text, '1');
});

/** Asks, and reads nothing of the answer. */
function neverRead(url, path, token) {
  const { hostname, port } = new URL(url);
  const socket = connect(port, hostname);
  socket.on('error', () => {});
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`);
  return socket;
}

test('a_caller_that_does_not_read_its_answers_gets_no_more_and_others_do', async () => {
  const gateway = await Gateway.start(stack.databaseUrl, ['--max-answer', String(64 << 20), '--client-timeout', '2000']);
  // 60 MB: more than the system holds for a socket by itself.
  const large = '/docs?select=id,a:body,b:body,c:body';
  const socket = neverRead(gateway.url, large, tokens.alice);
  try {
    await until('the answer to be there', async () => (await metric('answer_bytes', gateway)) > (59 << 20));
    const second = await request(gateway.url, 'GET', large, { as: 'alice' });
    assert.deepEqual([second.status, second.json.code], [429, 'GWT429'], second.text.slice(0, 200));
    assert.ok(second.headers.get('retry-after'));
    assert.equal((await request(gateway.url, 'GET', '/docs?select=id,body', { as: 'bob' })).status, 200);
    assert.equal((await request(gateway.url, 'GET', large)).json.length, 21);
    await until('the reader that takes nothing to be cut off', async () => (await metric('answer_bytes', gateway)) === 0, 20_000);
    assert.equal((await request(gateway.url, 'GET', large, { as: 'alice' })).json.length, 20);
  } finally {
    socket.destroy();
    await gateway.stop();
  }
});

test('a_body_that_trickles_in_has_a_deadline', async () => {
  const gateway = await Gateway.start(stack.databaseUrl, ['--body-timeout', '500']);
  try {
    const { hostname, port } = new URL(gateway.url);
    const status = await new Promise((resolve, reject) => {
      const slow = httpRequest({ host: hostname, port, path: '/rpc/one', method: 'POST', headers: { 'content-length': 1000, authorization: `Bearer ${tokens.alice}` } }, (response) => {
        clearInterval(trickle);
        response.resume();
        resolve(response.statusCode);
      });
      slow.on('error', reject);
      const trickle = setInterval(() => slow.write(' '), 50);
    });
    assert.equal(status, 408);
    assert.equal(await refusals('body_timeout', gateway), 1);
  } finally {
    await gateway.stop();
  }
});

test('a_caller_whose_bodies_hold_too_much_memory_gets_429_and_others_do_not', async () => {
  const gateway = await Gateway.start(stack.databaseUrl, ['--max-body', String(1 << 20), '--body-memory', String(8 << 20)]);
  const { hostname, port } = new URL(gateway.url);
  const slow = [1, 2].map(() => {
    const sent = httpRequest({ host: hostname, port, path: '/rpc/takes_text', method: 'POST', headers: { 'content-length': 1 << 20, authorization: `Bearer ${tokens.alice}` } });
    sent.on('error', () => {});
    sent.write('x'.repeat(1 << 19));
    return sent;
  });
  try {
    await until('the bodies to be held', async () => (await metric('body_bytes', gateway)) >= (1 << 20));
    const text = { body: 'x'.repeat(1 << 18), headers: { 'content-type': 'text/plain' } };
    const refused = await request(gateway.url, 'POST', '/rpc/takes_text', { ...text, as: 'alice' });
    assert.deepEqual([refused.status, refused.json.code], [429, 'GWT429']);
    assert.equal((await request(gateway.url, 'POST', '/rpc/takes_text', { ...text, as: 'bob' })).status, 200);
  } finally {
    slow.forEach((sent) => sent.destroy());
    await gateway.stop();
  }
});
