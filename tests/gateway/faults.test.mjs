// A Postgres, a function or a store that hangs: every caller gets an answer, and afterwards all is well again.

import assert from 'node:assert/strict';
import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { connect, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gateway, open, request, until } from './harness.mjs';

let stack;
before(async () => { stack = await open({ gateway: false }); });
after(() => stack.close());

/**
 * Stands between gateway and Postgres. A connection passes bytes on for as long as its mode says so, each
 * direction by itself; `mode` is that of connections to come.
 */
class Proxy {
  static async start(port) {
    const proxy = new Proxy();
    proxy.links = new Set();
    proxy.mode = { asks: true, answers: true };
    proxy.server = createServer((near) => {
      const link = { near, far: connect(port, '127.0.0.1'), ...proxy.mode };
      proxy.links.add(link);
      near.on('data', (data) => {
        link.isUsed = true;
        if (link.asks) link.far.write(data);
      });
      link.far.on('data', (data) => { if (link.answers) near.write(data); });
      for (const end of [near, link.far]) {
        end.on('error', () => {});
        end.on('close', () => { near.destroy(); link.far.destroy(); proxy.links.delete(link); });
      }
    });
    await new Promise((resolve) => { proxy.server.listen(0, '127.0.0.1', resolve); });
    return proxy;
  }

  url(databaseUrl) {
    const url = new URL(databaseUrl);
    url.port = this.server.address().port;
    return url.href;
  }

  /** Connections that are open now behave so for ever; `which` chooses among them. */
  break(mode, which = () => true) {
    for (const link of this.links) if (which(link)) Object.assign(link, mode);
  }

  stop() {
    for (const link of this.links) link.near.destroy();
    this.server.close();
  }
}

async function behindProxy(run, args = []) {
  const proxy = await Proxy.start(stack.postgres.port);
  let gateway;
  try {
    gateway = await Gateway.start(proxy.url(stack.databaseUrl), args);
    await run(proxy, gateway, (name, body, as) => request(gateway.url, 'POST', `/rpc/${name}`, { body, as }));
  } finally {
    await gateway?.stop();
    proxy.stop();
  }
}

/** What a caller gets in the end: within its deadline, and with a time to come back. */
async function answered(asking, seconds) {
  const started = Date.now();
  const answer = await asking;
  assert.ok([503, 504].includes(answer.status), `${answer.status} ${answer.text}`);
  assert.ok(answer.headers.get('retry-after'));
  assert.deepEqual(Object.keys(answer.json).sort(), ['code', 'details', 'hint', 'message']);
  assert.ok(Date.now() - started < seconds * 1000, `after ${Date.now() - started} ms`);
  return answer;
}

async function isWhole(call, gateway) {
  const started = Date.now();
  const answers = await Promise.all(Array.from({ length: 20 }, () => call('one', {}, 'service')));
  assert.deepEqual([...new Set(answers.map((answer) => answer.text))], ['1']);
  await until('/ready to say yes', async () => (await fetch(`${gateway.adminUrl}/ready`)).status === 200);
  assert.ok(Date.now() - started < 10_000, `whole after ${Date.now() - started} ms`);
}

/** A function host with one way to hang for each path. */
function host() {
  const server = createHttpServer(async (message, response) => {
    if (message.url.endsWith('/silent')) return;
    if (message.url.endsWith('/stops')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: one\n\n');
      return;
    }
    if (message.url.endsWith('/events')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let n = 0; n < 12; n += 1) {
        response.write(`data: ${n}\n\n`);
        await sleep(200);
      }
      response.end();
      return;
    }
    let length = 0;
    try {
      for await (const chunk of message) length += chunk.length;
    } catch {
      return; // the gateway has given the upload up
    }
    response.end(String(length));
  });
  return new Promise((resolve) => { server.listen(0, '127.0.0.1', () => resolve(server)); });
}

describe('faults', { concurrency: true }, () => {
  test('a_postgres_that_hangs_gives_every_caller_an_answer_within_its_deadline_and_is_found_again', () => behindProxy(async (proxy, gateway, call) => {
    await Promise.all(Array.from({ length: 10 }, () => call('one', {}, 'service')));
    proxy.mode = { asks: false, answers: false };
    proxy.break(proxy.mode);
    // Some ask on connections that were used just now; some after those have become stale, and are asked first
    // whether they live. The settings are the default ones.
    // Two of one caller run at once, and are given up first. The other two wait for their turn: 10 s at the most, and then the same again.
    const asked = Date.now();
    const anonymous = Array.from({ length: 4 }, () => answered(call('one', {}, null), 19).then(() => Date.now() - asked));
    await sleep(1200);
    const users = ['alice', 'bob'].flatMap((as) => Array.from({ length: 2 }, () => answered(call('one', {}, as), 14)));
    const took = (await Promise.all(anonymous)).sort((a, b) => a - b);
    assert.ok(took[1] < 9_000, `the first two after ${took.join(', ')} ms`);
    await Promise.all(users);
    // New connections work again, the old ones stay as dead as they are.
    proxy.mode = { asks: true, answers: true };
    await isWhole(call, gateway);
    assert.equal((await call('one', {}, 'alice')).text, '1');
    const page = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    assert.match(page, /refusals_total\{reason="deadline"\} [1-9]/);
  }));

  test('requests_on_half_open_connections_are_given_up_long_before_their_deadline', () => behindProxy(async (proxy, gateway, call) => {
    await Promise.all(Array.from({ length: 10 }, () => call('sleep', { s: 0.2 }, 'service')));
    // A long query on a good connection is left alone meanwhile. Its connection is the one that is used now.
    for (const link of proxy.links) link.isUsed = false;
    const long = call('sleep', { s: 7 }, 'alice');
    await until('the long query being on its way', () => [...proxy.links].some((link) => link.isUsed));
    proxy.break({ asks: false, answers: false }, (link) => !link.isUsed);
    // The service's own deadline is 35 s.
    // A connection that was quiet for a second is asked before it is used, so on a slow machine some requests go over a new one and succeed.
    const lost = Array.from({ length: 10 }, async () => {
      const answer = await call('one', {}, 'service');
      if (answer.status !== 200) return answered(answer, 12);
      assert.equal(answer.text, '1');
      return null;
    });
    const started = Date.now();
    await Promise.all(lost);
    assert.ok(Date.now() - started < 12_000, `after ${Date.now() - started} ms`);
    await isWhole(call, gateway);
    assert.equal((await long).text, '"slept"');
  }));

  test('a_commit_whose_answer_is_lost_is_answered_and_the_gateway_is_whole_again', () => behindProxy(async (proxy, gateway, call) => {
    await Promise.all(Array.from({ length: 10 }, () => call('sleep', { s: 0.2 }, 'service')));
    proxy.break({ answers: false });
    await answered(call('add_note', { p: 'lost answer' }, 'service'), 12);
    assert.equal((await stack.sql("select count(*)::int as n from archive.notes where v = 'lost answer'"))[0].n, 1, 'it was committed, once');
    await isWhole(call, gateway);
  }));

  test('a_write_that_is_late_is_504_and_says_that_its_outcome_is_not_known', () => behindProxy(async (proxy, gateway, call) => {
    await call('one', {}, 'service');
    // Nobody can be asked about it either.
    proxy.mode = { asks: true, answers: false };
    proxy.break(proxy.mode);
    const late = await answered(call('add_note', { p: 'late answer' }, 'service'), 5);
    assert.deepEqual([late.status, late.json.code], [504, 'GWT504']);
    assert.match(late.json.details, /not known/);
    proxy.mode = { asks: true, answers: true };
    await isWhole(call, gateway);
  }, ['--statement-timeout', '500', '--deadline-grace', '500']));

  test('a_silent_target_is_504_and_a_stream_may_take_long_but_not_fall_silent', async () => {
    const server = await host();
    const target = `http://127.0.0.1:${server.address().port}`;
    let gateway;
    try {
      gateway = await Gateway.start(stack.databaseUrl, [
        '--functions-url', target, '--storage-url', target, '--upstream-timeout', '1000', '--client-timeout', '1500',
      ]);
      for (const part of ['functions', 'storage']) {
        const silent = await request(gateway.url, 'GET', `/${part}/v1/silent`);
        assert.deepEqual([silent.status, silent.json.code], [504, 'GWT504']);
        assert.ok(silent.headers.get('retry-after'));
      }
      // Twelve events in 2.4 s: longer than the bound, never silent for as long.
      const events = await (await fetch(`${gateway.url}/functions/v1/events`)).text();
      assert.equal(events.match(/data/g).length, 12);
      const stops = await fetch(`${gateway.url}/functions/v1/stops`);
      await assert.rejects(stops.text(), 'an answer that is cut must not look whole');
      const upload = (pieces, pause) => new Promise((resolve, reject) => {
        const { hostname, port } = new URL(gateway.url);
        const sent = httpRequest({ host: hostname, port, path: '/storage/v1/object', method: 'PUT', headers: { 'content-length': 10 } }, async (response) => {
          let text = '';
          for await (const chunk of response) text += chunk;
          resolve([response.statusCode, text]);
        });
        sent.on('error', reject);
        (async () => {
          for (let n = 0; n < pieces; n += 1) {
            sent.write('x');
            await sleep(pause);
          }
        })();
      });
      assert.deepEqual(await upload(10, 200), [200, '10'], 'slow, but it makes progress');
      assert.equal((await upload(3, 10))[0], 408, 'it stops in the middle');
    } finally {
      await gateway?.stop();
      server.closeAllConnections();
      server.close();
    }
  });
});
