// `gristmill smoke`: goes the whole way through a real deployment as a user does, cleans up, and writes a report that its owner can send to us.
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import { readEnv, SECRETS_FILE } from "../deploy/files.mjs";
import { LINES, Skipped } from "./lines.mjs";
import { markdown, scrubber, table } from "./report.mjs";
import { someone } from "./someone.mjs";

const HELP = `usage: gristmill smoke --url https://PROJECT.supabase.co [--origin https://app.example.com] [--report NAME] [--timeout SECONDS] [--jobs 20]

Goes the whole way through a deployment: ${LINES.map(({ name }) => name).join(", ")}.
It makes a user for itself, removes what it made, prints a table, and writes NAME.md and NAME.json [gristmill-smoke]: no secret, no id and no
personal data is in them. What is not installed is left out. Exit code 1 if a line failed.

  --url       where the deployment answers: the project's address, or that of gristmill deploy cloudflare
  --origin    an origin of CORS_ORIGINS: pages of it must be allowed
  --timeout   seconds that each line may take [120]
  --jobs      how many jobs are timed [20]

Read from the environment, or from ${SECRETS_FILE} in this folder:
  SUPABASE_ANON_KEY                                the public key; always needed
  SUPABASE_SERVICE_ROLE_KEY                        makes the user and removes it again. Or one of these:
  GRISTMILL_USER_TOKEN                             the token of a user that you have
  GRISTMILL_JWT_SECRET                             where you run your own gateway: signs a token
  HEALTH_TOKEN                                     to hear what is not well, in words (optional)
  GRISTMILL_DATABASE_URL                           to see what Postgres, pg_net and pg_cron are (optional)
  EXPORTS_SCHEMA                                   where exports have a schema of their own
`;

export async function main(args, { folder = process.cwd(), env: shell = process.env, say = console.log, complain = console.error } = {}) {
  let options;
  try {
    options = read(args);
  } catch (error) {
    complain(`gristmill smoke: ${error.message}`);
    return 2;
  }
  if (options.help) {
    say(HELP);
    return 0;
  }
  const env = { ...readEnv(path.join(folder, SECRETS_FILE)), ...shell };
  if (!env.SUPABASE_ANON_KEY) {
    complain(`gristmill smoke: SUPABASE_ANON_KEY is neither in the environment nor in ${SECRETS_FILE}`);
    return 2;
  }
  const scrub = scrubber(env);
  let user;
  try {
    user = await someone(options.url, env, scrub);
  } catch (error) {
    complain(`gristmill smoke: ${scrub(error.message)}`);
    return 2;
  }

  const context = { ...options, env, user, made: [], facts: {} };
  const results = [];
  for (const { name, run } of LINES) results.push(await attempt(name, run, context, scrub));
  results.push(await attempt("cleaned up", () => cleanUp(context), context, scrub));

  const report = { url: new URL(options.url).origin, at: new Date().toISOString(), lines: results, ...scrubbed(context.facts, scrub) };
  say(table(results));
  const files = [`${options.report}.md`, `${options.report}.json`];
  fs.writeFileSync(path.resolve(folder, files[0]), markdown(report));
  fs.writeFileSync(path.resolve(folder, files[1]), `${JSON.stringify(report, null, 2)}\n`);
  say(`\n${files.join(" and ")} were written. They hold no secret; read them before you send them.`);
  return results.some(({ result }) => result === "FAILED") ? 1 : 0;
}

function read(args) {
  const { values } = parseArgs({ args, options: { url: { type: "string" }, origin: { type: "string" }, report: { type: "string", default: "gristmill-smoke" },
    timeout: { type: "string", default: "120" }, jobs: { type: "string", default: "20" }, help: { type: "boolean", short: "h" } } });
  if (values.help) return { help: true };
  if (!values.url || !URL.canParse(values.url) || !/^https?:$/.test(new URL(values.url).protocol)) throw new Error("--url https://… is needed; --help says more");
  const number = (name, most) => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1 || value > most) throw new Error(`--${name} is a whole number from 1 to ${most}`);
    return value;
  };
  return { url: values.url.replace(/\/+$/, "").replace(/\/functions\/v1$/, ""), origin: values.origin, report: values.report, timeout: number("timeout", 3600) * 1000, jobs: number("jobs", 1000) };
}

async function attempt(name, run, context, scrub) {
  const begun = performance.now();
  const line = (result, detail) => ({ line: name, result, ms: Math.round(performance.now() - begun), detail: scrub(detail ?? "") });
  try {
    return line("ok", await run(context));
  } catch (error) {
    return error instanceof Skipped ? line("–", error.message) : line("FAILED", error.cause?.code ? `${error.message}: ${error.cause.code}` : error.message);
  }
}

// Backwards: what was made last may need what was made first.
async function cleanUp(context) {
  const failed = [];
  for (const { what, remove } of [...context.made.reverse(), { what: "the user", remove: context.user.remove }]) {
    try {
      await remove();
    } catch (error) {
      failed.push(`${what}: ${error.message}`);
    }
  }
  if (failed.length > 0) throw new Error(`not removed: ${failed.join("; ")}`);
  return "";
}

const scrubbed = (value, scrub) => JSON.parse(scrub(JSON.stringify(value)));
