// Random requests: the gateway stays up, answers 5xx only where Postgres does, and never runs a
// request as another role than its token's. GRISTMILL_SOAK=1 makes it a million, GRISTMILL_SEED replays.

import assert from 'node:assert/strict';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { now, open, token, tokens } from './harness.mjs';

const REQUESTS = process.env.GRISTMILL_SOAK ? 1_000_000 : 20_000;
const SEED = Number(process.env.GRISTMILL_SEED ?? Date.now() % 2 ** 31);
const AT_ONCE = 24;

let stack;
before(async () => { stack = await open({ args: ['--pool', '12'] }); });
after(() => stack.close());

/** mulberry32: small, and the same everywhere. */
let state = SEED;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];
const maybe = (chance) => random() < chance;
const some = (most, make) => Array.from({ length: below(most + 1) }, make);
const noise = (most = 12) => some(most, () => String.fromCodePoint(pick([below(128), below(0x2fff) + 1, 39, 34, 92, 0x1f600]))).join('');

const NAMES = ['id', 'title', 'meta', 'tags', 'prio', 'n', 'span', 'words', '"', '*', 'a', 'p', 's', 'zzz', "x'--", 'meta->k', 'meta->>0', 'todos.id', '$1'];
const OPERATORS = ['eq', 'neq', 'gt', 'in', 'is', 'like', 'ilike', 'cs', 'cd', 'ov', 'fts', 'wfts(english)', 'not.eq', 'eq(any)', 'match', 'adj', 'isdistinct', 'zzz', '', 'not'];
const VALUES = ['1', 'null', '(1,2)', '{1,2}', '[1,3)', "'; drop table api.todos; --", '"', '(', ')', '%', '*', '-1', '99999999999999999999', '', 'true', '\\', '$1', '\u0000'];
const PATHS = ['/', '/todos', '/items', '/numbers', '/memberships', '/open_todos', '/partly_visible', '/notes', '/rest/v1/todos', '/rest/v1/rpc/add', '/rpc/add', '/rpc/rows', '/rpc/describe', '/rpc/takes_json', '/rpc/takes_text', '/rpc/count_words', '/rpc/overloaded', '/rpc/fail', '/rpc/nothing', '/rpc/two_out', '/rpc/leave_role', '/rpc/leave_setting', '/rpc/leave_table', '/rpc/', '/functions/v1/x', '/storage/v1', '//', '/a/b/c', '/%00', '/%ff', '/..%2f'];
const METHODS = ['GET', 'GET', 'GET', 'POST', 'POST', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];
const PREFERENCES = ['return=representation', 'return=minimal', 'return=headers-only', 'count=exact', 'count=planned', 'count=estimated', 'resolution=merge-duplicates', 'resolution=ignore-duplicates', 'missing=default', 'handling=strict', 'max-affected=1', 'tx=rollback', 'foo=bar', '=', ',,'];
const ACCEPTS = ['application/json', '*/*', 'text/csv', 'application/vnd.pgrst.object+json', 'application/vnd.pgrst.array+json;nulls=stripped', 'image/png', ';', 'text/csv;q=x', ','];
const TYPES = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream', 'text/csv', 'text/xml', 'x/y', ''];

/** Tokens with the role the server may see for them; null where it must refuse. */
const TOKENS = [
  [undefined, 'anon'], [tokens.alice, 'authenticated'], [tokens.bob, 'authenticated'], [tokens.service, 'service_role'],
  [token({}), 'anon'], [token({ role: 'anon' }), 'anon'], [token({ role: 'nosuch' }), null], [token({ role: 'postgres' }), null],
  [token({ role: 'none' }), null], [token({ role: 'authenticator' }), 'authenticator'], [token({ role: 'service_role', exp: now() - 999 }), null],
  [token({ role: 'service_role' }, { secret: 'wrong' }), null], [token({ role: 'service_role' }, { header: { alg: 'none' } }), null],
  ['x.y.z', null], ['', null], [`${tokens.alice}x`, null],
];

// Most requests should get past the token.
const GOOD = TOKENS.filter(([, role]) => role !== null && role !== 'authenticator');

const json = (depth = 0) => {
  switch (below(depth > 3 ? 5 : 8)) {
    case 0: return null;
    case 1: return below(100) - 50;
    case 2: return noise();
    case 3: return maybe(0.5);
    case 4: return pick(VALUES);
    case 5: return some(3, () => json(depth + 1));
    default: return Object.fromEntries(some(4, () => [pick([...NAMES, noise(3)]), json(depth + 1)]));
  }
};
const body = () => {
  if (maybe(0.15)) return noise(40);
  if (maybe(0.1)) return JSON.stringify(json()).slice(0, below(30));
  if (maybe(0.1)) return Array.from({ length: below(3) + 1 }, () => `${pick(NAMES)}=${pick(VALUES)}`).join('&');
  return JSON.stringify(maybe(0.3) ? { a: below(9), b: below(9), n: below(9), p: noise() } : json());
};
const parameter = () => {
  const value = maybe(0.2) ? noise() : `${pick(OPERATORS)}.${pick(VALUES)}`;
  switch (below(9)) {
    case 0: return ['select', some(3, () => pick([...NAMES, 'a:id', 'id::text', 'items(id)', 'count()', noise(4)])).join(',')];
    case 1: return ['order', `${pick(NAMES)}${pick(['', '.asc', '.desc.nullslast', '.x'])}`];
    case 2: return [pick(['limit', 'offset']), pick(['0', '5', '-1', 'x', '9223372036854775807', '99999999999999999999'])];
    case 3: return [pick(['or', 'and', 'not.or']), `(${some(3, () => `${pick(NAMES)}.${pick(OPERATORS)}.${pick(VALUES)}`).join(',')}${maybe(0.8) ? ')' : ''}`];
    case 4: return [pick(['columns', 'on_conflict']), some(2, () => pick(NAMES)).join(',')];
    default: return [maybe(0.1) ? noise(5) : pick(NAMES), value];
  }
};
// Unescaped at times, but for what no URI can hold: such a request line is cut off, as the last test shows.
const escape = (text) => (maybe(0.9) ? encodeURIComponent(text.toWellFormed()) : text.replace(/[^!-~]|[#<>"`^{}|\\]/g, ''));
const headerValue = (text) => text.replace(/[^ -~]/g, '');

function generate() {
  const path = maybe(0.25) ? pick(['/rpc/whoami', '/rest/v1/rpc/whoami']) : maybe(0.05) ? `/${escape(noise())}` : pick(PATHS);
  const query = some(4, parameter).map(([name, value]) => `${escape(name)}=${escape(value)}`).join('&');
  const isWhoami = path.endsWith('whoami');
  const [bearer, role] = maybe(0.75) ? pick(GOOD) : pick(TOKENS);
  const headers = {};
  if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
  if (maybe(0.4)) headers.prefer = some(3, () => pick(PREFERENCES)).join(',');
  if (maybe(0.3)) headers.accept = some(2, () => pick(ACCEPTS)).join(',');
  if (maybe(0.1)) headers.range = pick(['0-1', '5-', '3-1', 'bytes=0-1', '-', '0-99999999999999999999']);
  if (maybe(0.1)) headers[pick(['accept-profile', 'content-profile'])] = pick(['api', 'archive', 'pg_catalog', noise().replace(/[^ -~]/g, '')]);
  if (maybe(0.1)) headers[`x-${below(99)}`] = headerValue(noise());
  if (maybe(0.1)) headers.cookie = headerValue(noise());
  const method = isWhoami ? 'POST' : pick(METHODS);
  const sendsBody = !['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method);
  if (sendsBody && maybe(0.7)) headers['content-type'] = isWhoami ? 'application/json' : pick(TYPES);
  const content = sendsBody ? Buffer.from(isWhoami ? '{}' : body()) : undefined;
  // Node frames no body of a DELETE by itself.
  if (content) headers['content-length'] = content.length;
  if (path === '/rpc/sleep') return generate();
  return { method, path: query && !isWhoami ? `${path}?${query}` : path, headers, body: content, role, isWhoami };
}

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
function send({ method, path, headers, body: content }) {
  const { hostname, port } = new URL(stack.url);
  return new Promise((resolve, reject) => {
    const call = httpRequest({ hostname, port, method, path, headers, agent }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
    });
    call.on('error', reject);
    call.end(content);
  });
}

/** Codes with which the database itself, and not the gateway, is at fault. */
const isOfTheDatabase = (code) => /^[0-9A-Z]{5}$/.test(code) || ['PGRST111', 'PGRST112', 'PGRST121'].includes(code);

function check(sent, { status, text }) {
  const shown = () => `seed ${SEED}: ${JSON.stringify({ ...sent, body: String(sent.body) })} answered ${status} ${text.slice(0, 300)}`;
  let parsed;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Rows can be CSV, and some answers are empty.
  }
  if (status >= 500 && sent.method !== 'HEAD') assert.ok(isOfTheDatabase(parsed?.code ?? ''), shown());
  if (sent.isWhoami && status === 200 && parsed) {
    const user = (Array.isArray(parsed) ? parsed[0] : parsed).user;
    if (user !== undefined) assert.equal(user, sent.role, shown());
  }
  // OPTIONS asks nothing of the database, so a role that is not there does not show.
  if (sent.role === null && sent.method !== 'OPTIONS') assert.ok(status >= 400 && status < 500, shown());
  if (sent.isWhoami && sent.role !== null && status === 200) whoamis += 1;
}
let whoamis = 0;

test('random_requests_never_break_the_gateway_nor_borrow_a_role', async (t) => {
  t.diagnostic(`seed ${SEED}, ${REQUESTS} requests`);
  let left = REQUESTS;
  const statuses = {};
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const sent = generate();
      const answer = await send(sent).catch((error) => {
        const panic = stack.gateway.log.split('\n').filter((line) => !line.startsWith('{')).join('\n');
        throw new Error(`seed ${SEED}: ${JSON.stringify(sent)}: ${error.message}\n${panic}`);
      });
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      check(sent, answer);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  t.diagnostic(JSON.stringify(statuses));
  assert.equal(stack.gateway.exitCode, undefined, stack.gateway.log.slice(-2000));
  assert.ok(!stack.gateway.log.includes('panicked'), 'no panic');
  assert.ok(whoamis > REQUESTS / 20, `${whoamis} answers told their role`);
  assert.ok(stack.gateway.residentMegabytes() < 100, `${stack.gateway.residentMegabytes()} MB`);
  const open = await stack.sql("select from pg_stat_activity where usename = 'authenticator' and state like 'idle in%'");
  assert.equal(open.length, 0);
});

test('bytes_that_are_no_http_are_cut_off', async () => {
  const { hostname, port } = new URL(stack.url);
  for (let n = 0; n < 200; n += 1) {
    await new Promise((resolve) => {
      const socket = connect(port, hostname, () => socket.end(maybe(0.5) ? noise(200) : `GET ${noise(20)} HTTP/1.1\r\n${noise(50)}\r\n\r\n`));
      socket.on('error', resolve).on('close', resolve).resume();
    });
  }
  assert.equal((await stack.rpc('one')).text, '1');
});
