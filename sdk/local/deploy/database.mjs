// What a deployment has to know about its database before anything is changed. Only `run` and `register` write.
import { createHmac } from "node:crypto";

const PATIENCE = 10_000;
const MESSAGE = "gristmill deploy";

/**
 * `{error}`, or what was found: version, what sends and what schedules, and what was configured before.
 * `signsWith` is null without a signing key. Otherwise it says with which of the secrets in `invokeSecret` Postgres signs: while the secret is changed there are several,
 * separated by blanks, the newest first. -1 is none of them.
 */
export async function look(url, invokeSecret) {
  try {
    return await connected(url, (one) => examine(one, invokeSecret));
  } catch (error) {
    return { error: reason(error) };
  }
}

async function examine(one, invokeSecret) {
  const found = await one(`
    select current_setting('server_version_num')::int / 10000 as version,
      has_database_privilege(current_database(), 'create') as "mayCreate",
      to_regproc('net.http_post') is not null as sends, to_regclass('cron.job') is not null as schedules,
      exists (select from pg_available_extensions e where e.name = 'pg_net') as "hasPgNet",
      exists (select from pg_available_extensions e where e.name = 'pg_cron') as "hasPgCron",
      to_regclass('mill.settings') is not null as "isInstalled"`);
  if (!found.isInstalled) return { ...found, functionsUrl: null, signsWith: null };
  const { url: functionsUrl } = await one("select (select s.value from mill.settings s where s.key = 'functions.base_url') as url");
  const key = await one("select mill.sign('invoke', convert_to($1, 'UTF8')) as signature where exists (select from mill.secret s where s.name = 'invoke')", [MESSAGE]);
  return { ...found, functionsUrl, signsWith: key ? signer(key.signature, invokeSecret) : null };
}

/** What a reader of a report wants to know of it: versions, and nothing of the user's. */
export async function describe(url) {
  const { version, net, cron, sends, schedules } = await connected(url, (one) => one(`
    select current_setting('server_version') as version,
      (select e.extversion from pg_extension e where e.extname = 'pg_net') as net, (select e.extversion from pg_extension e where e.extname = 'pg_cron') as cron,
      to_regproc('net.http_post') is not null as sends, to_regclass('cron.job') is not null as schedules`)).catch((error) => {
    throw new Error(`the database cannot be asked: ${reason(error)}`);
  });
  return { Postgres: version.split(" ")[0], pg_net: net ?? (sends ? "gristmill relay" : "none"), pg_cron: cron ?? (schedules ? "gristmill relay" : "none") };
}

/** Runs the statements of one file, all or none of them. */
export const run = (url, text) => connected(url, (one) => one(`begin;\n${text}\n;commit`), 600_000).catch((error) => {
  throw new Error(reason(error));
});

/**
 * What register_jobs answers. As a trial it changes nothing, and null says that the database does not know it yet. Errors have Postgres's detail and hint.
 * @param {{isTrial?: boolean}} [options]
 */
export const register = (url, definition, { isTrial = false } = {}) => connected(url, async (one) => {
  if (isTrial && !(await one("select to_regproc('public.register_jobs') is not null as known")).known) return null;
  await one("begin");
  const { answer } = await one("select public.register_jobs($1) as answer", [JSON.stringify(definition)]);
  await one(isTrial ? "rollback" : "commit");
  return answer;
});

async function connected(url, work, patience = PATIENCE) {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: asLibpq(url), connectionTimeoutMillis: PATIENCE, query_timeout: patience, application_name: "gristmill deploy" });
  client.on("error", () => {}); // the query's own error tells
  try {
    await client.connect();
    return await work(async (text, values) => (await client.query(text, values)).rows?.[0]);
  } finally {
    await client.end().catch(() => {});
  }
}

// sslmode=require means what it means to libpq and to our own programs: encrypted, and verified only where verify-full says so.
function asLibpq(url) {
  const parsed = new URL(url);
  if (parsed.searchParams.has("sslmode")) parsed.searchParams.set("uselibpqcompat", "true");
  return parsed.href;
}

function signer(signature, secrets = "") {
  return secrets.trim().split(/\s+/).findIndex((secret) =>
    signature.includes(createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64")).update(MESSAGE).digest("base64")));
}

// Never the URL: it has the password.
const reason = (error) => error.code === "ERR_INVALID_URL" ? "the URL is not of the form postgres://USER:PASSWORD@HOST:PORT/DATABASE"
  : [error.code, error.message].filter(Boolean).join(": ") || "no reason was given";
