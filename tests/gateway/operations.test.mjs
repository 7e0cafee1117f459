// Starting, stopping, losing Postgres, shedding load, and forwarding to the functions.

import assert from 'node:assert/strict';
import { createServer, request as httpRequest } from 'node:http';
import { after, before, test } from 'node:test';
import { Gateway, Postgres, freePort, open, query, request, until } from './harness.mjs';

let stack;
before(async () => { stack = await open(); });
after(() => stack.close());

const admin = (path, gateway = stack.gateway) => fetch(gateway.adminUrl + path);
const metric = async (name) => {
  const page = await (await admin('/metrics')).text();
  return Number(new RegExp(`^gristmill_gateway_${name} (\\d+)`, 'm').exec(page)[1]);
};

test('live_ready_and_metrics_answer_on_their_own_address', async () => {
  assert.equal((await admin('/live')).status, 200);
  assert.equal((await admin('/ready')).status, 200);
  await stack.rpc('one');
  const page = await (await admin('/metrics')).text();
  assert.match(page, /gristmill_gateway_requests_total\{status="2xx"\} [1-9]/);
  assert.match(page, /gristmill_gateway_request_duration_seconds_bucket\{le="\+Inf"\} [1-9]/);
  assert.equal((await stack.request('GET', '/metrics')).status, 404, 'not on the public address');
});

test('past_the_queue_requests_are_shed_with_retry_after', async () => {
  const small = await Gateway.start(stack.databaseUrl, ['--pool', '1', '--queue', '1']);
  try {
    const slow = () => request(small.url, 'POST', '/rpc/sleep', { body: { s: 1 } });
    const answers = await Promise.all([slow(), slow(), slow(), slow()]);
    const shed = answers.filter((answer) => answer.status === 503);
    assert.equal(shed.length, 2);
    for (const answer of shed) {
      assert.equal(answer.json.code, 'PGRST003');
      assert.ok(answer.headers.get('retry-after'));
    }
  } finally {
    await small.stop();
  }
});

test('a_stopping_gateway_lets_requests_finish_and_takes_no_new_ones', async () => {
  const stopping = await Gateway.start(stack.databaseUrl);
  const running = request(stopping.url, 'POST', '/rpc/sleep', { body: { s: 1 } });
  const busy = "select from pg_stat_activity where state = 'active' and query like '%\"sleep\"%' and pid <> pg_backend_pid()";
  await until('the query to run', async () => (await stack.sql(busy)).length > 0);
  const ended = stopping.stop();
  await until('new connections to be refused', () => fetch(`${stopping.url}/rpc/one`, { method: 'POST' }).then(() => false, () => true));
  assert.equal((await running).text, '"slept"');
  assert.equal(await ended, 0);
});

test('the_gateway_may_start_before_postgres', async () => {
  const port = await freePort();
  const early = await Gateway.start(`postgres://authenticator:authenticator@127.0.0.1:${port}/none`, [], { awaitReady: false });
  try {
    await until('the admin address', () => early.address('admin listens'));
    early.adminUrl = early.address('admin listens');
    assert.equal((await admin('/live', early)).status, 200);
    const ready = await admin('/ready', early);
    assert.equal(ready.status, 503);
    assert.ok(ready.headers.get('retry-after'));
  } finally {
    await early.stop();
  }
});

test('postgres_may_crash_and_come_back', async () => {
  const own = await Postgres.start();
  await query(`${own.url}/postgres`, "create role anon; create schema api; grant usage on schema api to anon; create function api.one() returns int language sql as 'select 1'");
  const gateway = await Gateway.start(`${own.url}/postgres`, ['--schemas', 'api']);
  const one = () => request(gateway.url, 'POST', '/rpc/one', { as: null });
  try {
    await Promise.all(Array.from({ length: 20 }, one));
    await own.crash();
    await until('/ready to say no', async () => (await admin('/ready', gateway)).status === 503);
    for (let n = 0; n < 20; n += 1) {
      const answer = await one();
      assert.equal(answer.status, 503, answer.text);
      assert.ok(answer.headers.get('retry-after'));
    }
    await own.run();
    const back = Date.now();
    await until('/ready to say yes', async () => (await admin('/ready', gateway)).status === 200, 60_000);
    assert.ok(Date.now() - back < 10_000);
    for (let n = 0; n < 20; n += 1) assert.equal((await one()).text, '1');
  } finally {
    await gateway.stop();
    await own.stop();
  }
});

test('a_killed_backend_costs_one_request_at_most', async () => {
  await stack.rpc('one');
  await stack.sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'authenticator' and query not like 'listen%'");
  await until('calls to succeed again', async () => (await stack.rpc('one')).status === 200, 5000);
  const sleeping = stack.rpc('sleep', { s: 20 });
  await until('the query to run', async () => (await stack.sql("select from pg_stat_activity where state = 'active' and query like '%\"sleep\"%' and pid <> pg_backend_pid()")).length > 0);
  await stack.sql("select pg_terminate_backend(pid) from pg_stat_activity where state = 'active' and query like '%\"sleep\"%' and pid <> pg_backend_pid()");
  const lost = await sleeping;
  assert.equal(lost.status, 503, lost.text);
  assert.ok(lost.headers.get('retry-after'));
});

/** A function host that shows what it was sent, and streams two events, the second on request. */
function host() {
  const state = { release: () => {} };
  const released = new Promise((resolve) => { state.release = resolve; });
  state.server = createServer(async (message, response) => {
    if (message.url.endsWith('/events')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: one\n\n');
      await released;
      return response.end('data: two\n\n');
    }
    let length = 0;
    for await (const chunk of message) length += chunk.length;
    response.setHeader('x-from', 'host');
    return response.writeHead(207).end(JSON.stringify({ method: message.method, url: message.url, headers: message.headers, length }));
  });
  return new Promise((resolve) => state.server.listen(0, '127.0.0.1', () => resolve(state)));
}

test('functions_are_forwarded_with_path_headers_and_both_bodies_streamed', async () => {
  const functions = await host();
  const url = `http://127.0.0.1:${functions.server.address().port}`;
  const gateway = await Gateway.start(stack.databaseUrl, ['--functions-url', url]);
  try {
    const body = new Uint8Array(5 * 1024 * 1024);
    const sent = await request(gateway.url, 'PUT', '/functions/v1/up%20load/a?b=c%2Bd', { body, headers: { 'content-type': 'application/octet-stream', 'x-mine': '1' } });
    assert.equal(sent.status, 207);
    assert.equal(sent.headers.get('x-from'), 'host');
    assert.deepEqual([sent.json.method, sent.json.url, sent.json.length], ['PUT', '/functions/v1/up%20load/a?b=c%2Bd', body.length]);
    assert.equal(sent.json.headers['x-mine'], '1');
    assert.equal(sent.json.headers['x-forwarded-for'], '127.0.0.1');
    assert.equal(sent.json.headers['x-forwarded-host'], new URL(gateway.url).host);
    assert.equal(sent.json.headers['x-forwarded-proto'], 'http');

    const events = await fetch(`${gateway.url}/functions/v1/console/events`);
    const reader = events.body.getReader();
    const decoder = new TextDecoder();
    assert.equal(decoder.decode((await reader.read()).value), 'data: one\n\n', 'before the second is sent');
    functions.release();
    assert.equal(decoder.decode((await reader.read()).value), 'data: two\n\n');
  } finally {
    await gateway.stop();
    functions.server.closeAllConnections();
    functions.server.close();
  }
});

test('a_missing_or_dead_target_is_said_in_json', async () => {
  const port = await freePort();
  const gateway = await Gateway.start(stack.databaseUrl, ['--functions-url', `http://127.0.0.1:${port}`]);
  try {
    const dead = await request(gateway.url, 'GET', '/functions/v1/x');
    assert.equal(dead.status, 502);
    assert.ok(dead.json.message && dead.headers.get('retry-after'));
    const missing = await request(gateway.url, 'GET', '/storage/v1/object/x');
    assert.equal(missing.status, 404);
  } finally {
    await gateway.stop();
  }
});

test('a_slow_body_holds_no_connection_to_postgres', async () => {
  const address = new URL(stack.url);
  const slow = httpRequest({ host: address.hostname, port: address.port, path: '/rpc/one', method: 'POST', headers: { 'content-length': 1000 } });
  slow.on('error', () => {});
  slow.write('{');
  await until('the request to be under way', async () => (await metric('requests_in_flight')) > 0);
  assert.equal(await metric('pool_busy'), 0);
  slow.destroy();
  await until('it to be gone', async () => (await metric('requests_in_flight')) === 0);
});

test('requests_cut_off_by_the_drain_leave_no_query_behind', async () => {
  const stopping = await Gateway.start(stack.databaseUrl, ['--drain-seconds', '1']);
  const running = request(stopping.url, 'POST', '/rpc/sleep', { body: { s: 25 } }).catch((error) => error);
  const busy = "select from pg_stat_activity where state = 'active' and query like '%\"sleep\"%' and pid <> pg_backend_pid()";
  await until('the query to run', async () => (await stack.sql(busy)).length > 0);
  assert.equal(await stopping.stop(), 0);
  assert.ok((await running) instanceof Error);
  assert.equal((await stack.sql(busy)).length, 0);
});
