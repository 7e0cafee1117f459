// `gristmill deploy` in a user's own folder: what it writes, what it checks, what it keeps secret, and that a second run changes nothing. What it deploys is run
// by the stand-ins of tests/deploy/platforms.mjs; the whole way through both platforms, with a browser, is tests/deploy/deployed.test.mjs.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { parse } from "smol-toml";

import { freePorts } from "../../sdk/local/stack/ports.mjs";
import { owner, Refusal, withTables } from "../../sdk/local/deploy/files.mjs";
import { main } from "../../sdk/local/deploy/main.mjs";
import { checks as checkJobs, described, registerAll } from "../../sdk/local/deploy/jobs.mjs";
import * as own from "../../sdk/local/deploy/own.mjs";
import { bindingsOf, functionsOf } from "../../sdk/local/deploy/functions.mjs";
import { main as tryOut } from "../../sdk/local/smoke/main.mjs";
import { Cloudflare, Project, Supabase } from "../deploy/platforms.mjs";
import { signIn, startStack } from "../support.mjs";

const ENGINE = functionsOf([]);
let stack, cloudflare, project, supabase, other, url;
before(async () => {
  const [port] = await freePorts(1);
  url = `http://127.0.0.1:${port}`;
  stack = await startStack("deploy-command", { parts: ["gateway", "relay"], applications: "none" });
  cloudflare = await new Cloudflare(path.join(stack.folder, "r2")).open(port);
  project = new Project(cloudflare, { SUPABASE_ANON_KEY: stack.anonKey, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey });
  supabase = await new Supabase({ project: "abcdefghij", provided: {}, isToken: () => true }).open((await freePorts(1))[0]);
  other = new Project(supabase);
});
after(async () => {
  project?.remove();
  other?.remove();
  await cloudflare?.close();
  await supabase?.close();
  await stack?.destroy();
});
const deploy = (...args) => project.gristmill("deploy", "cloudflare", ...args);
const first = () => ["--url", url, "--supabase-url", stack.url, "--origins", "http://app.localhost:*"];

test("deploy --check on a machine with nothing says for each missing thing what to do, writes nothing, and ends with exit code 1", async () => {
  const empty = new Project({ commands: [], control: "" }, { GRISTMILL_BIN: "" });
  try {
    const { code, output } = await empty.gristmill("deploy", "cloudflare", "--check", "--url", "https://mill.acme.workers.dev", "--supabase-url", "https://p.supabase.co");
    assert.equal(code, 1, output);
    assert.match(output, /MISSING gristmill: .*\n +→ .*npm install @gristmill\//);
    assert.match(output, /MISSING secrets of your own: SUPABASE_ANON_KEY, SUPABASE_SERVICE_ROLE_KEY not known\n +→ /);
    assert.match(output, /MISSING database: its address is not known\n +→ set GRISTMILL_DATABASE_URL/);
    assert.match(output, /MISSING wrangler: it is not installed\n +→ npm install --save-dev wrangler/);
    assert.deepEqual(empty.files(), {});
  } finally {
    empty.remove();
  }
});

test("deploy refuses what it does not understand with exit code 2 and says what there is", async () => {
  for (const [args, says] of [[["heroku"], /gristmill deploy cloudflare, or gristmill deploy supabase/], [["cloudflare"], /--url is needed the first time/],
    [["cloudflare", "--project", "x"], /--project is no setting of cloudflare/], [["cloudflare", ...first(), "--with", "nonsense"], /There are: documents/],
    [["cloudflare", ...first(), "--var", "NONSENSE=1"], /no function reads it/], [["cloudflare", "--nonsense"], /--help/], [["cloudflare", "--url", "mill"], /an address such as/]]) {
    const said = [];
    const code = await main(args, { folder: project.folder, env: {}, say: () => {}, complain: (line) => said.push(line) });
    assert.equal(code, 2, args.join(" "));
    assert.match(said.join("\n"), says);
  }
  assert.deepEqual(project.files(), {});
});

test("deploy changes nothing while the tool is logged out, the database cannot be reached, or another deployment signs for it", async () => {
  cloudflare.isLoggedIn = false;
  project.env.GRISTMILL_DATABASE_URL = "postgres://nobody:hidden-word@127.0.0.1:1/none";
  const out = await deploy(...first());
  assert.equal(out.code, 1, out.output);
  assert.match(out.output, /MISSING database: it cannot be reached: ECONNREFUSED/);
  assert.match(out.output, /MISSING login: wrangler is not logged in\n +→ npx wrangler login/);
  assert.doesNotMatch(out.output, /hidden-word/);
  cloudflare.isLoggedIn = true;
  project.env.GRISTMILL_DATABASE_URL = stack.databaseUrl;
  const taken = await deploy(...first());
  assert.equal(taken.code, 1, taken.output);
  assert.match(taken.output, /MISSING signing key: .*\n +→ another deployment uses this database/);
  assert.deepEqual(project.files(), {});
  assert.deepEqual(cloudflare.changes, []);
});

test("a deployment that fails in the middle goes on where it stopped, gives each function exactly what the list says, and prints no secret", async () => {
  await stack.postgres.query("delete from mill.secret where name = 'invoke'; delete from mill.settings where key = 'functions.base_url'");
  cloudflare.failsOnce = "deploy --config wrangler.toml --env cleanup";
  const broken = await deploy(...first());
  assert.equal(broken.code, 1, broken.output);
  assert.match(broken.output, /Run the same again/);
  const made = project.secrets;
  const whole = await deploy();
  assert.equal(whole.code, 0, whole.output);
  assert.deepEqual(project.secrets, made, "no secret is made twice");
  const deployed = cloudflare.changes.filter((line) => line.startsWith("deploy")).map((line) => /--env (\w+)/.exec(line)[1]);
  assert.deepEqual(deployed, ["enqueue", "processor", "health", "cleanup", "cleanup", "audit", "router"]);
  for (const name of ENGINE) {
    const { vars, secrets, environment } = cloudflare.workers.get(`gristmill-${name}`);
    const bound = bindingsOf(name, "r2");
    assert.deepEqual(Object.keys(secrets).sort(), bound.secrets.toSorted(), name);
    assert.deepEqual(Object.keys(vars).sort(), [...bound.vars, "CORS_ORIGINS"].sort(), name);
    assert.deepEqual((environment.r2_buckets ?? []).map(({ binding }) => binding), bound.bucket ? [bound.bucket] : [], name);
    assert.equal(environment.triggers, undefined, "pg_cron, or the relay in its place, keeps the schedules");
  }
  for (const { output } of [broken, whole]) for (const [name, value] of Object.entries(made)) assert.ok(!output.includes(value), `${name} was printed`);
  for (const name of ["secrets.env", "worker.env", "deployed.json"]) assert.equal(fs.statSync(project.file(`.gristmill/${name}`)).mode & 0o777, 0o600, name);
  assert.match(project.read(".gitignore"), /^\/\.gristmill\/$/m);
  assert.deepEqual(fs.readdirSync(project.file(".gristmill")).sort(), ["deployed.json", "functions", "secrets.env", "worker.env"], "files of secrets for the tool are gone");
  assert.match(project.read(".gristmill/worker.env"), new RegExp(`^SUPABASE_URL=${stack.url}\nSTORAGE=r2\nFILES_URL=${url}/functions/v1/documents\nSUPABASE_SERVICE_ROLE_KEY=.+\nFILES_SECRET=.+\n$`));
  assert.match(whole.output, /\$ gristmill doctor\n[\s\S]*ok {4}functions/);
});

test("a job goes through the one address: enqueue, Postgres, processor, and back", async () => {
  const user = await signIn({ url, token: (claims) => stack.token(claims) });
  const { status, json } = await user.submit({ kind: "echo", payload: { hello: "router" } });
  assert.equal(status, 202);
  assert.deepEqual((await user.settled(json.id)).result, { echo: { hello: "router" } });
});

test("the router answers for further names and shards, passes REST on to the project, and knows no other function", async () => {
  const get = async (at) => fetch(`${url}${at}`);
  assert.deepEqual((await (await get("/functions/v1/queue-processor-eu/health")).json()).function, "queue-processor");
  assert.equal((await (await get("/functions/v1/processor/health")).json()).function, "processor");
  assert.equal((await get("/rest/v1/")).status, (await fetch(`${stack.url}/rest/v1/`)).status);
  for (const at of ["/functions/v1/documents", "/functions/v1/nonexistent", "/functions/v1/", "/functions/v1/constructor", "/", "/api/jobs"]) {
    const answer = await get(at);
    assert.equal(answer.status, 404, at);
    assert.equal((await answer.json()).code, "not_found", at);
  }
});

test("smoke goes through the deployment, leaves out what is not deployed, fails with exit code 1 while Postgres signs with another key, and writes no secret", async () => {
  const env = { ...project.env, GRISTMILL_JWT_SECRET: stack.secrets.jwtSecret };
  const said = [];
  const smoke = (...args) => tryOut(["--url", url, "--origin", "http://app.localhost:1", "--jobs", "2", ...args], { folder: project.folder, env, say: (line) => said.push(line), complain: (line) => said.push(line) });
  const results = (name) => Object.fromEntries(JSON.parse(project.read(`${name}.json`)).lines.map(({ line, result }) => [line, result]));
  assert.equal(await smoke("--report", "whole"), 0, said.join("\n"));
  assert.deepEqual(results("whole"), { functions: "ok", health: "ok", "enqueue → completed": "ok", latency: "ok", "upload → understood → download": "–", "export → download": "–", workflow: "–",
    events: "–", realtime: "–", CORS: "ok", database: "ok", "cleaned up": "ok" }, said.join("\n"));
  await stack.gristmill("configure"); // with the stack's own key, which the functions do not have
  assert.equal(await smoke("--report", "damaged", "--timeout", "3"), 1);
  const damaged = results("damaged");
  assert.deepEqual([damaged.functions, damaged["enqueue → completed"], damaged.CORS], ["ok", "FAILED", "ok"], said.join("\n"));
  const written = [...said, ...["whole.md", "whole.json", "damaged.md", "damaged.json"].map((name) => project.read(name))].join("\n");
  for (const [name, secret] of Object.entries({ ...project.secrets, ...stack.secrets, databaseUrl: stack.databaseUrl })) assert.ok(!written.includes(secret), `${name} was written`);
  for (const name of ["whole", "damaged"]) for (const ending of ["md", "json"]) fs.rmSync(project.file(`${name}.${ending}`));
  const again = await deploy("--new-secrets"); // sets the deployment's own key again
  assert.equal(again.code, 0, again.output);
});

test("a second deployment writes nothing, sets nothing and makes no secret, and --check then finds nothing", async () => {
  const [files, changes] = [project.files(), cloudflare.changes.length];
  const { code, output } = await deploy();
  assert.equal(code, 0, output);
  assert.doesNotMatch(output, /wrote|to do|\$ wrangler|\$ gristmill configure/);
  assert.deepEqual(project.files(), files);
  assert.equal(cloudflare.changes.length, changes);
  const check = await deploy("--check");
  assert.equal(check.code, 0, check.output);
  assert.doesNotMatch(check.output, /MISSING/);
});

test("deploying registers the jobs that the user's functions define, and keeps what an operator has changed; --check and --dry-run only say what would be registered", async () => {
  const { postgres } = stack;
  const queues = async () => (await postgres.query("select q.served_by, q.function, q.max_parallel, k.max_attempts from mill.queue q join mill.kind k using (queue) where k.kind = 'greet'")).rows;
  project.writeTemplate();
  const maxAttempts = (count) => project.write("functions/greet/job.ts", project.read("functions/greet/job.ts").replace(/openToUsers: true,( maxAttempts: \d+,)?/, `openToUsers: true, maxAttempts: ${count},`));
  maxAttempts(4);
  const changes = cloudflare.changes.length;
  const check = await deploy("--check");
  assert.equal(check.code, 1, check.output);
  assert.match(check.output, /MISSING jobs of functions\/greet: not registered as the code has them: greet\n +→ gristmill deploy cloudflare registers them/);
  const dry = await deploy("--dry-run");
  assert.equal(dry.code, 0, dry.output);
  assert.match(dry.output, /to do {3}jobs of functions\/greet: not registered as the code has them: greet/);
  assert.deepEqual([await queues(), cloudflare.changes.length], [[], changes]);

  const made = await deploy();
  assert.equal(made.code, 0, made.output);
  assert.match(made.output, /^jobs of functions\/greet: greet registered$/m);
  const user = await signIn({ url, token: (claims) => stack.token(claims) });
  const { json } = await user.submit({ kind: "greet", payload: { name: "Ann" } });
  assert.deepEqual((await user.settled(json.id)).result, { greeting: "Hello, Ann!" });

  const again = await deploy();
  assert.equal(again.code, 0, again.output);
  assert.match(again.output, /ok {6}jobs of functions\/greet\n[\s\S]*^jobs of functions\/greet: greet unchanged$/m);
  assert.doesNotMatch(again.output, /kept/);

  await postgres.query("update mill.queue set max_parallel = 3, function = 'greet-elsewhere' where queue = 'greetings'; update mill.kind set max_attempts = 9 where kind = 'greet'");
  maxAttempts(6);
  const kept = await deploy();
  assert.equal(kept.code, 0, kept.output);
  assert.match(kept.output, /^ {2}kept as an operator has set them: .*max_attempts of the kind greet is 9, where the code has 6$/m);
  assert.match(kept.output, /function of the queue greetings is "greet-elsewhere", where the code has "greet"/);
  assert.deepEqual(await queues(), [{ served_by: "function", function: "greet-elsewhere", max_parallel: 3, max_attempts: 9 }]);
});

test("a function that does not answer is named, and its jobs are registered as its code has them; jobs that Postgres refuses are shown before anything is changed", async () => {
  const local = await described(await own.bundled(project.folder));
  await stack.postgres.query("update mill.queue set function = 'greet' where queue = 'greetings'; delete from mill.job where kind = 'greet'; delete from mill.kind where kind = 'greet'");
  const said = [];
  const [closed] = await freePorts(1);
  const wrong = await registerAll(local, { address: `http://127.0.0.1:${closed}/functions/v1`, secret: project.secrets.INVOKE_SECRET, databaseUrl: stack.databaseUrl, say: (line) => said.push(line), patience: 100 });
  assert.deepEqual(wrong, ["functions/greet does not answer (ECONNREFUSED). Its jobs are registered as its code here has them. Look into its log, and deploy again"]);
  assert.deepEqual(said, ["jobs of functions/greet: greet registered"]);

  const strangers = await registerAll(local, { address: `${url}/functions/v1`, secret: `whsec_${Buffer.alloc(32, 1).toString("base64")}`, databaseUrl: stack.databaseUrl, say: () => {}, patience: 100 });
  assert.match(strangers[0], /^functions\/greet answers 403 \(only Postgres calls this function\)\./);

  project.write("functions/greet/job.ts", project.read("functions/greet/job.ts").replace('queue: "greetings"', 'queue: "default"'));
  const [line] = await checkJobs(await described(await own.bundled(project.folder)), { databaseUrl: stack.databaseUrl, platform: "cloudflare" });
  assert.match(line.mend, /^the queue "default" was not made by register_jobs/);
  const [files, changes] = [project.files(), cloudflare.changes.length];
  const { code, output } = await deploy();
  assert.equal(code, 1, output);
  assert.match(output, /MISSING jobs of functions\/greet: Postgres refuses them\n +→ the queue "default" was not made by register_jobs/);
  assert.deepEqual([project.files(), cloudflare.changes.length], [files, changes]);
});

test("a function without the library is not asked for jobs, and one that cannot be run here says them when it is deployed", async () => {
  const foreign = 'export default { fetch() { throw new Error("it was called"); } };';
  assert.deepEqual(await described({ foreign }), {});
  const local = await described({ bound: `import "cloudflare:workers"; export default { fetch: (request) => Response.json({ code: "bad_signature", was: request.describe }) };` });
  assert.deepEqual(local, { bound: { definition: null } });
  assert.deepEqual(await checkJobs(local, { databaseUrl: stack.databaseUrl, platform: "cloudflare" }), [{ name: "jobs of functions/bound: it says them when it is deployed" }]);
});

test("a file of wrangler that is the user's own stays, and one of ours that was changed by hand is not overwritten", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-owner-"));
  try {
    const file = path.join(folder, "wrangler.toml");
    assert.equal(owner(file), null);
    fs.writeFileSync(file, 'name = "mine"\n');
    assert.equal(owner(file), "theirs");
    fs.writeFileSync(file, project.read("wrangler.toml"));
    assert.equal(owner(file), "ours");
    fs.appendFileSync(file, "# mine\n");
    assert.equal(owner(file), "changed");
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

test("deploy supabase --dry-run names the files and commands, and writes none of them", async () => {
  other.env.GRISTMILL_DATABASE_URL = stack.databaseUrl;
  const { code, output } = await other.gristmill("deploy", "supabase", "--dry-run", "--new-secrets", "--project", "abcdefghij", "--names", "health-check");
  assert.equal(code, 0, output);
  for (const line of ["would write supabase/functions/enqueue/index.ts", "would write supabase/functions/health-check/index.ts", "would write supabase/config.toml", "$ gristmill migrate",
    "$ supabase secrets set --env-file .gristmill/supabase.secrets.env --project-ref abcdefghij", "$ supabase functions deploy health-check --project-ref abcdefghij --use-api",
    "$ gristmill configure --functions-url https://abcdefghij.supabase.co/functions/v1", "$ gristmill doctor"]) assert.ok(output.includes(line), `${line}\n${output}`);
  assert.deepEqual(other.files(), {});
  assert.deepEqual(supabase.changes, []);
});

test("config.toml of Supabase gets verify_jwt of our functions, and keeps every other line of the user's", () => {
  const theirs = `# my project
project_id = "abc" # keep

[api]
port = 54321
schemas = ["public", "graphql_public"]

[functions.health] # mine already
verify_jwt = true # to be changed
import_map = "./import_map.json"

[functions.mine]
verify_jwt = true

[[storage.buckets]]
name = "x"`;
  const tables = { "functions.health": { verify_jwt: false }, "functions.enqueue": { verify_jwt: false } };
  const edited = withTables(theirs, tables, "config.toml");
  for (const line of theirs.replace("verify_jwt = true # to be changed", "verify_jwt = false # to be changed").split("\n")) assert.ok(edited.includes(line), line);
  assert.deepEqual(JSON.parse(JSON.stringify(parse(edited).functions)), { health: { verify_jwt: false, import_map: "./import_map.json" }, mine: { verify_jwt: true }, enqueue: { verify_jwt: false } });
  assert.equal(withTables(edited, tables, "config.toml"), edited);
  assert.throws(() => withTables('functions = { health = { verify_jwt = true } }\n', tables, "config.toml"), (error) => error instanceof Refusal && /\[functions\.health\] verify_jwt = false/.test(error.message));
});
