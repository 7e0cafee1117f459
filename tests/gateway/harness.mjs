// What every gateway test stands on: a private Postgres in a temporary folder, and a gateway in front of it.
// The only file that knows how they are started; a test asks `open()` and gets addresses.
//
//   GRISTMILL_TEST_DATABASE_URL  a superuser's URL of a Postgres to use instead (its database is created anew)
//   GRISTMILL_BIN                the gristmill binary (default: target/debug/gristmill)

import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
// Resolves like require(), so that NODE_PATH works as well as a node_modules folder.
export const load = createRequire(import.meta.url);
const { Client } = load('pg');

export const SECRET = 'test-only-qJ3vI2n0wJp7Zr8yKd5Lx1Tb4Mf6Gc9Ha';
export const ALICE = '11111111-1111-1111-1111-111111111111';
export const BOB = '22222222-2222-2222-2222-222222222222';
const BIN = process.env.GRISTMILL_BIN ?? join(here, '../../target/debug/gristmill');
const POSTGRES = '/usr/lib/postgresql/15/bin';

const base64 = (value) => Buffer.from(value).toString('base64url');
export const now = () => Math.floor(Date.now() / 1000);

/** A token signed by HS256; header and secret can be replaced for forgeries. */
export function token(claims, { header = { alg: 'HS256', typ: 'JWT' }, secret = SECRET } = {}) {
  const signed = `${base64(JSON.stringify(header))}.${base64(JSON.stringify(claims))}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

export const tokens = {
  service: token({ role: 'service_role' }),
  alice: token({ role: 'authenticated', sub: ALICE, aud: 'authenticated', app_metadata: { x: [1] } }),
  bob: token({ role: 'authenticated', sub: BOB }),
};

/** Waits for a condition rather than for a time. */
export async function until(what, condition, timeout = 15_000) {
  const deadline = Date.now() + timeout;
  for (;;) {
    if (await condition()) return;
    if (Date.now() > deadline) throw new Error(`waited ${timeout} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** postgres refuses to run as root; Debian's package brings a user for it. */
function unprivileged() {
  if (process.getuid() !== 0) return { options: {}, user: userInfo().username };
  const id = (flag) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
  return { options: { uid: id('-u'), gid: id('-g') }, user: 'postgres' };
}

/** A Postgres of one's own, that can be killed and started again. */
export class Postgres {
  static async start() {
    const postgres = new Postgres();
    postgres.folder = mkdtempSync(join(tmpdir(), 'gristmill-gateway-'));
    const { options } = unprivileged();
    postgres.options = options;
    if (options.uid !== undefined) chownSync(postgres.folder, options.uid, options.gid);
    postgres.port = await freePort();
    const data = join(postgres.folder, 'data');
    const made = spawnSync(
      join(POSTGRES, 'initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
      { ...options, cwd: postgres.folder, encoding: 'utf8' },
    );
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr ?? made.error}`);
    await postgres.run();
    return postgres;
  }

  get url() {
    return `postgres://postgres@127.0.0.1:${this.port}`;
  }

  async run() {
    this.process = spawn(
      join(POSTGRES, 'postgres'),
      ['-D', join(this.folder, 'data'), '-p', String(this.port), '-k', this.folder, '-h', '127.0.0.1',
        '-c', 'fsync=off', '-c', 'max_connections=200', '-c', 'log_min_messages=fatal'],
      { ...this.options, cwd: this.folder, stdio: 'ignore' },
    );
    this.ended = new Promise((resolve) => this.process.on('exit', resolve));
    await until('Postgres to start', () => canConnect(`${this.url}/postgres`));
  }

  /** As a crash would: no goodbye to anybody. */
  async crash() {
    this.process.kill('SIGQUIT');
    await this.ended;
  }

  async stop() {
    await this.crash();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function canConnect(url) {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** Runs statements as the superuser. */
export async function query(url, text, values) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const result = await client.query(text, values);
    return result.rows ?? [];
  } finally {
    await client.end();
  }
}

/** A gateway process, its log kept. */
export class Gateway {
  static async start(databaseUrl, args = [], { awaitReady = true, env = {} } = {}) {
    if (!existsSync(BIN)) throw new Error(`${BIN} is not there: run cargo build, or set GRISTMILL_BIN`);
    const gateway = new Gateway();
    gateway.lines = [];
    const given = (name) => args.includes(name);
    const defaults = [
      ['--listen', '127.0.0.1:0'], ['--admin-listen', '127.0.0.1:0'], ['--schemas', 'api,archive'],
      ['--anon-role', 'anon'], ['--jwt-secret', SECRET],
    ].filter(([name]) => !given(name) && !given(`no${name}`)).flat();
    const rest = args.filter((arg) => !arg.startsWith('no--'));
    gateway.process = spawn(BIN, ['gateway', '--database-url', databaseUrl, ...defaults, ...rest], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, GRISTMILL_LOG: 'info', ...env },
    });
    gateway.process.stderr.setEncoding('utf8').on('data', (text) => gateway.lines.push(text));
    gateway.ended = new Promise((resolve) => gateway.process.on('exit', (code) => resolve(code)));
    gateway.process.on('exit', (code) => { gateway.exitCode = code ?? 'signal'; });
    if (awaitReady) {
      await until('the gateway to be ready', () => {
        if (gateway.exitCode !== undefined) throw new Error(`the gateway ended:\n${gateway.log}`);
        return gateway.address('gateway ready') !== undefined;
      });
      gateway.url = gateway.address('gateway ready');
      gateway.adminUrl = gateway.address('admin listens');
    }
    return gateway;
  }

  get log() {
    return this.lines.join('');
  }

  get pid() {
    return this.process.pid;
  }

  address(message) {
    const line = this.log.split('\n').find((text) => text.includes(`"${message}"`));
    return line && JSON.parse(line).address;
  }

  residentMegabytes() {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
  }

  async stop(signal = 'SIGTERM') {
    if (this.exitCode === undefined) this.process.kill(signal);
    return this.ended;
  }
}

/** Postgres with the test schema, and a gateway in front: what most tests want. */
export async function open({ args = [], gateway: wanted = true } = {}) {
  const given = process.env.GRISTMILL_TEST_DATABASE_URL;
  const postgres = given ? { url: given.replace(/\/[^/]*$/, ''), stop: async () => {} } : await Postgres.start();
  const name = `gateway_${process.pid}`;
  const adminUrl = given ?? `${postgres.url}/postgres`;
  if (given) {
    await query(adminUrl, `drop database if exists ${name}`);
    // Roles belong to the whole server; the schema creates them anew.
    await query(adminUrl, 'drop role if exists anon, authenticated, service_role, authenticator');
  }
  await query(adminUrl, `create database ${name}`);
  const superuserUrl = `${postgres.url}/${name}`;
  await query(superuserUrl, readFileSync(join(here, 'schema.sql'), 'utf8'));
  const host = new URL(postgres.url);
  const databaseUrl = `postgres://authenticator:authenticator@${host.hostname}:${host.port || 5432}/${name}`;
  const gateway = wanted ? await Gateway.start(databaseUrl, args) : undefined;
  const stack = {
    postgres, gateway, databaseUrl, superuserUrl,
    get url() { return stack.gateway.url; },
    sql: (text, values) => query(superuserUrl, text, values),
    request: (method, path, options) => request(stack.gateway.url, method, path, options),
    rpc: (name, body = {}, options = {}) => request(stack.gateway.url, 'POST', `/rpc/${name}`, { body, ...options }),
    async close() {
      await stack.gateway?.stop();
      await postgres.stop();
    },
  };
  return stack;
}

/** One request; `as` names a token, the service's unless told, null for none. */
export async function request(url, method, path, { as = 'service', headers = {}, body, bearer } = {}) {
  const sent = { ...headers };
  const credential = bearer ?? (as && (tokens[as] ?? as));
  if (credential) sent.authorization = `Bearer ${credential}`;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const named = Object.keys(sent).some((name) => name.toLowerCase() === 'content-type');
  if (body !== undefined && !named) sent['content-type'] = 'application/json';
  const response = await fetch(url + path, {
    method, headers: sent, body: body === undefined || isRaw ? body : JSON.stringify(body),
  });
  const text = await response.text();
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    // Not every answer is JSON; `text` has it.
  }
  return { status: response.status, headers: response.headers, text, json };
}
