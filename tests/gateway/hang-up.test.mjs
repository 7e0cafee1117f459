// Clients that leave in the middle of a query: nothing of theirs goes on, and nothing is left open.
// GRISTMILL_SOAK=1 makes it a thousand of them.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { open, tokens, until } from './harness.mjs';

const CLIENTS = process.env.GRISTMILL_SOAK ? 1000 : 100;
const WAVE = 50;

let stack;
before(async () => { stack = await open({ args: ['--pool', String(WAVE)] }); });
after(() => stack.close());

const sleeping = `select pid from pg_stat_activity
  where state = 'active' and query like '%"sleep"%' and pid <> pg_backend_pid()`;
const unfinished = `select pid, state, query from pg_stat_activity
  where usename = 'authenticator' and state <> 'idle'`;

/** Sends the head and body of a call that would take a minute. */
function caller() {
  const { hostname, port } = new URL(stack.url);
  const body = '{"s":60}';
  const socket = connect(port, hostname);
  socket.on('error', () => {});
  socket.write(`POST /rpc/sleep HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tokens.service}\r\n`
    + `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  return socket;
}

test('clients_that_hang_up_leave_no_busy_backend_and_no_open_transaction', async (t) => {
  for (let left = CLIENTS; left > 0; left -= WAVE) {
    const wave = Array.from({ length: Math.min(WAVE, left) }, caller);
    await until('every query to run', async () => (await stack.sql(sleeping)).length === wave.length, 120_000);
    // Half say goodbye, half just vanish.
    wave.forEach((socket, index) => (index % 2 ? socket.end() : socket.resetAndDestroy()));
    await until('every backend to be free', async () => (await stack.sql(unfinished)).length === 0, 120_000);
    wave.forEach((socket) => socket.destroy());
  }
  const page = await (await fetch(`${stack.gateway.adminUrl}/metrics`)).text();
  const count = (name) => Number(new RegExp(`^gristmill_gateway_${name} (\\d+)`, 'm').exec(page)[1]);
  assert.equal(count('cancelled_total'), CLIENTS);
  assert.equal(count('pool_busy'), 0);
  t.diagnostic(`${CLIENTS} hang-ups, ${count('connections_opened_total')} connections opened`);
});

test('clients_that_hang_up_at_any_moment_cost_nothing_but_their_own_query', async () => {
  const { hostname, port } = new URL(stack.url);
  for (let round = 0; round < CLIENTS; round += 1) {
    const socket = connect(port, hostname);
    socket.on('error', () => {});
    socket.write(`POST /rpc/one HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tokens.service}\r\ncontent-length: 2\r\n\r\n{}`);
    setTimeout(() => socket.resetAndDestroy(), (round % 20) / 4);
    const other = await stack.rpc('whoami', {}, { as: 'alice' });
    assert.deepEqual([other.status, other.json.user], [200, 'authenticated'], other.text);
  }
  await until('every backend to be free', async () => (await stack.sql(unfinished)).length === 0);
});
