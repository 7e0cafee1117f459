// What every gateway test stands on: a private Postgres with a schema full of corners, and a gateway in front of it.
// The only file that knows how they are started; a test asks `open()` and gets addresses.
import { spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

import { checkoutState, gristmill } from '../../sdk/local/stack/paths.mjs';
import { freePorts } from '../../sdk/local/stack/ports.mjs';
import { Postgres as Server } from '../../sdk/local/stack/postgres.mjs';
import { until as untilTrue } from '../support.mjs';

const here = dirname(fileURLToPath(import.meta.url));

export const SECRET = 'test-only-qJ3vI2n0wJp7Zr8yKd5Lx1Tb4Mf6Gc9Ha';
export const ALICE = '11111111-1111-1111-1111-111111111111';
export const BOB = '22222222-2222-2222-2222-222222222222';

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
export const until = (what, condition, timeout) => untilTrue(condition, what, timeout);

export const freePort = async () => (await freePorts(1))[0];

/** A Postgres of one's own, that can be killed and started again. */
export class Postgres {
  static async start() {
    const postgres = new Postgres();
    postgres.folder = join(checkoutState, `gateway-${randomUUID()}`);
    mkdirSync(postgres.folder, { recursive: true });
    postgres.server = new Server({
      flavour: 'embedded', dataDir: join(postgres.folder, 'postgres'), logDir: postgres.folder,
      port: await freePort(), password: 'test',
    });
    await postgres.run();
    return postgres;
  }

  get port() {
    return this.server.port;
  }

  get url() {
    return this.server.url().replace(/\/gristmill$/, '');
  }

  run() {
    return this.server.start();
  }

  /** No goodbye to anybody. */
  crash() {
    return this.server.part.kill();
  }

  async stop() {
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Runs statements as the superuser. */
export async function query(url, text, values) {
  const client = new pg.Client({ connectionString: url });
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
    const gateway = new Gateway();
    gateway.lines = [];
    const given = (name) => args.includes(name);
    const defaults = [
      ['--listen', '127.0.0.1:0'], ['--admin-listen', '127.0.0.1:0'], ['--schemas', 'api,archive'],
      ['--anon-role', 'anon'], ['--jwt-secret', SECRET],
    ].filter(([name]) => !given(name) && !given(`no${name}`)).flat();
    const rest = args.filter((arg) => !arg.startsWith('no--'));
    gateway.process = spawn(gristmill, ['gateway', '--database-url', databaseUrl, ...defaults, ...rest], {
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
  const postgres = await Postgres.start();
  const superuserUrl = `${postgres.url}/gristmill`;
  await query(superuserUrl, readFileSync(join(here, 'schema.sql'), 'utf8'));
  const databaseUrl = `postgres://authenticator:authenticator@127.0.0.1:${postgres.port}/gristmill`;
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
