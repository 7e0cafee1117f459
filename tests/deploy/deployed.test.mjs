// The deployments that docs/deploy-cloudflare.md and docs/deploy-supabase.md describe, made by their commands in an empty folder, and used by a page of another
// origin in a real Chromium: upload, download, export, a workflow whose audio can be sought, server-sent events. Each function has exactly what the command gave
// it; the container worker has exactly .gristmill/worker.env.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";

import { parse } from "smol-toml";

import { Part } from "../../sdk/local/stack/part.mjs";
import { root } from "../../sdk/local/stack/paths.mjs";
import { freePorts } from "../../sdk/local/stack/ports.mjs";
import { Stack } from "../../sdk/local/stack/stack.mjs";
import { readEnv } from "../../sdk/local/deploy/files.mjs";
import { bindingsOf, FUNCTIONS, PROVIDED_BY_SUPABASE } from "../../sdk/local/deploy/functions.mjs";
import { openTab, servePages, startBrowser } from "../contract/browser.mjs";
import { signIn } from "../support.mjs";
import { commandsOf } from "./guide.mjs";
import { Cloudflare, Project, Supabase } from "./platforms.mjs";

const [APP, EVIL] = ["app.localhost", "evil.localhost"];
const TEXT = "Patient: Ann Example    DOB: 01/02/1970\nGlucose 142 mg/dL 70 - 99 H\nMedication: Metformin 500 mg daily\n";
const ONE_DOCUMENT = { person1: { name: "Grace", born: "1906-12-09" }, documents: [{ system: "numerology", about: "person1" }] };
const run = promisify(execFile);

let browser, site;
before(async () => {
  browser = await startBrowser();
  site = await servePages();
});
after(async () => {
  await browser?.close();
  site?.close();
});

/** A stack without functions: the database, what stands in for Supabase around it, and nothing configured. */
async function ground(name, options) {
  const stack = await new Stack(`test-deployed-${name}-${process.pid}`, { realtime: true, applications: "none", ...options }).start();
  await stack.postgres.query("delete from mill.secret where name = 'invoke'; delete from mill.settings where key = 'functions.base_url'");
  return stack;
}

/** The container worker with the environment that the command wrote, and no other. */
async function startWorker(stack, project) {
  const [port] = await freePorts(1);
  const clean = Object.fromEntries(Object.keys(process.env).filter((name) => !["PATH", "HOME"].includes(name)).map((name) => [name, undefined]));
  stack.parts.work = new Part("work", { command: stack.binary, args: ["work", "--listen", `127.0.0.1:${port}`, "--poll", "0.1", "--poll-max", "0.25"], logDir: stack.logDir,
    env: { ...clean, ...readEnv(project.file(".gristmill/worker.env")) }, isReady: () => fetch(`http://127.0.0.1:${port}/live`).then(({ ok }) => ok, () => false) });
  await stack.parts.work.start();
}

/** What the page does, the same on both platforms. */
function everyWay(at) {
  let page, requests;
  before(async () => {
    const { stack, url } = at();
    const user = await signIn(stack);
    site.env = () => ({ SUPABASE_URL: url, SUPABASE_ANON_KEY: stack.anonKey, USER_TOKEN: user.token });
    page = await openTab(browser, `${site.origin(APP)}/deployed-page`);
    requests = [];
    page.page.on("request", async (request) => requests.push({ url: request.url(), range: (await request.allHeaders()).range }));
  });

  test("a page uploads a document, hears by EventSource that it was understood, and downloads it", async () => {
    const { status, facts, heard, file } = await page.run("upload", "Ü note.txt", TEXT);
    assert.equal(status, "completed");
    assert.ok(facts > 0);
    assert.equal(heard.at(-1), "completed");
    assert.deepEqual([file.status, file.size], [200, TEXT.length]);
    assert.match(file.disposition, /^attachment/);
  });

  test("a page exports a PDF, hears by EventSource that it is made, and downloads it by route and by a signed link", async () => {
    const { heard, routed, linked } = await page.run("exportPdf", "From a page");
    assert.equal(heard.at(-1), "completed");
    assert.deepEqual([routed.status, routed.begins, routed.length], [200, "%PDF-", String(routed.size)]);
    assert.deepEqual([linked.status, linked.begins, linked.range], [206, "%PDF-", `bytes 0-4/${routed.size}`]);
  });

  test("a workflow makes audio that a player can seek in, by parts of the file", async () => {
    const { status, heard, artifacts, error } = await page.run("makeAudio", ONE_DOCUMENT);
    assert.equal(status, "completed", JSON.stringify(error));
    assert.equal(heard.at(-1), "completed");
    const { url } = artifacts.find(({ type }) => type === "audio_mp3");
    const { duration, at: place, ranges, part } = await page.run("seek", url);
    assert.ok(duration > 1 && Math.abs(place - duration * 0.8) < 0.5, `${place} of ${duration}`);
    assert.ok(ranges > 0, "the player may seek");
    assert.deepEqual([part.status, part.size], [206, 100]);
    assert.match(part.range, /^bytes 100-199\/\d+$/);
    assert.ok(requests.some((request) => request.url === url && request.range), "the player asked for a part");
  });

  test("a page of an origin that was not given to --origins reaches nothing", async () => {
    const evil = await openTab(browser, `${site.origin(EVIL)}/deployed-page`);
    for (const place of ["/functions/v1/enqueue", "/functions/v1/documents/v1/documents", "/functions/v1/export/openapi.json"]) {
      assert.deepEqual(await evil.run("attempt", place), { failed: "TypeError" }, place);
      assert.ok("status" in await page.run("attempt", place), `${place}: the allowed page sees it`);
    }
  });

  test("smoke finds the deployment whole", async () => {
    const { project, stack, url } = at();
    project.env = { ...project.env, GRISTMILL_JWT_SECRET: stack.secrets.jwtSecret, SUPABASE_ANON_KEY: stack.anonKey };
    const { code, output } = await project.gristmill("smoke", "--url", url, "--origin", site.origin(APP), "--jobs", "5");
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /–|FAILED/);
  });

  test("a function of the user's own in functions/ is deployed beside ours with its secrets, and does the jobs that a file of sql/ gives it", async () => {
    const { project, platform, stack, url, name } = at();
    project.writeGreeter();
    const changes = platform.changes.length;
    const { code, output } = await project.gristmill("deploy", name);
    assert.equal(code, 0, output);
    assert.match(output, /running sql\/greet\.sql/);
    assert.equal(platform.changes.length, changes + 2, "beside the function there is the router to deploy, or the secret to set, and what has not changed is left alone");
    const user = await signIn({ url, token: (claims) => stack.token(claims) });
    const { json } = await user.submit({ kind: "greet", payload: { name: "Ann" } });
    const { result } = await user.settled(json.id);
    assert.equal(result.greeting, "Hello there, Ann");
    if (name === "cloudflare") assert.deepEqual(result.knows, ["CORS_ORIGINS", "GREETING", "INVOKE_SECRET", "SUPABASE_ANON_KEY", "SUPABASE_SERVICE_ROLE_KEY", "SUPABASE_URL"]);
  });

  test("the function of gristmill init is deployed with the jobs that it defines, and no SQL", async () => {
    const { project, stack, url, name } = at();
    project.writeTemplate({ kind: "hello", queue: "hellos" }); // the SQL of the other function has made "greet"
    const { code, output } = await project.gristmill("deploy", name);
    assert.equal(code, 0, output);
    assert.match(output, /^jobs of functions\/greet: hello registered$/m);
    const user = await signIn({ url, token: (claims) => stack.token(claims) });
    const { json } = await user.submit({ kind: "hello", payload: { name: "Ann" } });
    assert.deepEqual((await user.settled(json.id)).result, { greeting: "Hello, Ann!" });
    const again = await project.gristmill("deploy", name);
    assert.match(again.output, /^jobs of functions\/greet: hello unchanged$/m);
  });

  test("a function of the user's own that does not compile, or has the name of one of ours, is refused before anything is changed", async () => {
    const { project, platform, name } = at();
    const changes = platform.changes.length;
    for (const [folder, says] of [["broken", /functions\/broken does not compile\n[\s\S]*index\.ts:1:/], ["health", /functions\/health has the name of a function of Gristmill/]]) {
      project.write(`functions/${folder}/index.ts`, "export default {");
      const { code, output } = await project.gristmill("deploy", name);
      fs.rmSync(project.file(`functions/${folder}`), { recursive: true });
      assert.equal(code, 2, output);
      assert.match(output, says);
    }
    assert.equal(platform.changes.length, changes);
  });

  test("deploying again changes nothing", async () => {
    const { project, platform, name } = at();
    const [files, changes] = [project.files(), platform.changes.length];
    const { code, output } = await project.gristmill("deploy", name);
    assert.equal(code, 0, output);
    assert.deepEqual(project.files(), files);
    assert.equal(platform.changes.length, changes);
  });
}

describe("on Cloudflare", () => {
  let stack, platform, project, url;
  before(async () => {
    const [port] = await freePorts(1);
    url = `http://127.0.0.1:${port}`;
    stack = await ground("cloudflare", { parts: ["gateway", "relay"], env: { gateway: { CORS_ORIGINS: site.origin(APP) } } });
    platform = await new Cloudflare(path.join(stack.folder, "r2")).open(port);
    project = new Project(platform, { GRISTMILL_DATABASE_URL: stack.databaseUrl, SUPABASE_ANON_KEY: stack.anonKey, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey });
    // To the letter, with the addresses of this machine in the place of the page's.
    const commands = commandsOf("docs/deploy-cloudflare.md", { "https://gristmill.SUBDOMAIN.workers.dev": url, "https://PROJECT.supabase.co": stack.url, "https://app.example.com": site.origin(APP) });
    for (const args of commands) {
      const { code, output } = await project.gristmill(...args);
      assert.equal(code, args.includes("--check") ? 1 : 0, `${args.join(" ")}\n${output}`);
    }
    await startWorker(stack, project);
  });
  after(async () => {
    await stack?.destroy();
    await platform?.close();
    project?.remove();
  });

  everyWay(() => ({ stack, platform, project, url, name: "cloudflare" }));

  test("each worker has exactly the variables, secrets and bucket of the list, and none but the router has an address", () => {
    assert.deepEqual([...platform.workers.keys()].sort(), ["gristmill", "gristmill-greet", "gristmill-greet-people", ...Object.keys(FUNCTIONS).map((name) => `gristmill-${name}`)].sort());
    for (const name of Object.keys(FUNCTIONS)) {
      const { vars, secrets, environment } = platform.workers.get(`gristmill-${name}`);
      const bound = bindingsOf(name, "r2");
      assert.deepEqual(Object.keys(secrets).sort(), bound.secrets.toSorted(), name);
      assert.deepEqual(Object.keys(vars).sort(), [...bound.vars, "CORS_ORIGINS"].sort(), name);
      assert.deepEqual((environment.r2_buckets ?? []).map(({ binding }) => binding), bound.bucket ? [bound.bucket] : [], name);
      assert.deepEqual([environment.workers_dev, environment.preview_urls], [false, false], name);
    }
  });

  test("wrangler itself takes every environment that the command wrote", async () => {
    for (const name of Object.keys(parse(project.read("wrangler.toml")).env)) {
      const { stdout } = await run(path.join(root, "node_modules/.bin/wrangler"), ["deploy", "--dry-run", "--config", "wrangler.toml", "--env", name, "--outdir", path.join(stack.folder, "dry", name)],
        { cwd: project.folder, env: { PATH: process.env.PATH, HOME: project.folder, CI: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", CLOUDFLARE_CF_FETCH_ENABLED: "false" } });
      assert.match(stdout, /--dry-run: exiting now/, name);
    }
  });

  test("a secret that somebody has removed from the platform is set again, and --check names it", async () => {
    delete platform.workers.get("gristmill-documents").secrets.FILES_SECRET;
    const check = await project.gristmill("deploy", "cloudflare", "--check");
    assert.equal(check.code, 1, check.output);
    assert.match(check.output, /documents lacks FILES_SECRET/);
    const { code, output } = await project.gristmill("deploy", "cloudflare");
    assert.equal(code, 0, output);
    assert.equal(platform.workers.get("gristmill-documents").secrets.FILES_SECRET, project.secrets.FILES_SECRET);
  });

  test("a function that lacks a secret says so at its /health, and doctor names those that Postgres calls", async () => {
    const [processor, documents] = ["processor", "documents"].map((name) => platform.workers.get(`gristmill-${name}`));
    const kept = [processor.secrets, documents.secrets];
    const without = (secrets, name) => Object.fromEntries(Object.entries(secrets).filter(([known]) => known !== name));
    [processor.secrets, documents.secrets] = [without(kept[0], "INVOKE_SECRET"), without(kept[1], "FILES_SECRET")];
    await platform.serve();
    const { code, output } = await project.gristmill("doctor");
    const health = await Promise.all(["processor", "documents", "export"].map(async (name) => (await fetch(`${url}/functions/v1/${name}/health`)).json()));
    [processor.secrets, documents.secrets] = kept;
    await platform.serve();
    assert.deepEqual(health.map((answer) => answer.code ?? answer.status), ["misconfigured", "misconfigured", "ok"]);
    assert.equal(code, 1, output);
    assert.match(output, /WRONG functions\n +processor lacks something that it was to be deployed with/);
  });

  test("a signing key that Postgres does not know takes the place of none, and --check says that Postgres signs with the older of two", async () => {
    const file = project.file(".gristmill/secrets.env");
    const old = project.secrets.INVOKE_SECRET;
    const fresh = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    fs.writeFileSync(file, project.read(".gristmill/secrets.env").replace(old, fresh));
    const lost = await project.gristmill("deploy", "cloudflare");
    assert.equal(lost.code, 1, "a key that Postgres does not know is not put in the place of its own");
    fs.writeFileSync(file, project.read(".gristmill/secrets.env").replace(fresh, `${fresh} ${old}`));
    const check = await project.gristmill("deploy", "cloudflare", "--check");
    assert.match(check.output, /the database signs with an older key/);
    fs.writeFileSync(file, project.read(".gristmill/secrets.env").replace(`${fresh} ${old}`, old));
  });

  test("a database without cron gets cron triggers for exactly its schedules", async () => {
    const other = new Project(platform, { ...project.env });
    try {
      await stack.postgres.query("alter schema cron rename to cron_away");
      fs.cpSync(project.file(".gristmill/secrets.env"), other.file("secrets.env"));
      fs.mkdirSync(other.file(".gristmill"));
      fs.renameSync(other.file("secrets.env"), other.file(".gristmill/secrets.env"));
      other.env = { ...other.env, SUPABASE_ANON_KEY: stack.anonKey };
      await other.gristmill("deploy", "cloudflare", "--url", url, "--supabase-url", stack.url, "--with", "all");
      const { env } = parse(other.read("wrangler.toml"));
      const triggers = Object.entries(env).flatMap(([name, { triggers: { crons = [] } = {} }]) => crons.map((cron) => `${name} ${cron}`)).sort();
      const { rows } = await stack.postgres.query("select distinct trigger_of || ' ' || schedule as line from mill.schedule order by 1");
      assert.deepEqual(triggers, rows.map(({ line }) => line).sort());
    } finally {
      await stack.postgres.query("alter schema cron_away rename to cron");
      other.remove();
    }
  });
});

describe("on Supabase", () => {
  let stack, platform, project;
  before(async () => {
    stack = await ground("supabase", { parts: ["gateway", "relay", "storage"], env: { gateway: { CORS_ORIGINS: site.origin(APP) } } });
    platform = await new Supabase({ project: "abcdefghijklmnopqrst", isToken: (header) => /^Bearer eyJ/.test(header ?? ""),
      provided: { SUPABASE_URL: stack.url, SUPABASE_ANON_KEY: stack.anonKey, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey, SUPABASE_DB_URL: stack.databaseUrl } }).open(stack.ports.functionsPort);
    assert.deepEqual(Object.keys(platform.provided), PROVIDED_BY_SUPABASE);
    // The service key is there for the container worker's file alone.
    project = new Project(platform, { GRISTMILL_DATABASE_URL: stack.databaseUrl, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey });
    fs.mkdirSync(project.file("supabase"));
    fs.writeFileSync(project.file("supabase/config.toml"), '# mine\nproject_id = "abcdefghijklmnopqrst"\n\n[api]\nport = 54321\n');
    const commands = commandsOf("docs/deploy-supabase.md", { PROJECT: "abcdefghijklmnopqrst", "https://app.example.com": site.origin(APP) });
    for (const args of commands) {
      // The project's own address is the one thing that this machine cannot have.
      const { code, output } = await project.gristmill(...args, ...(args[0] === "deploy" ? ["--supabase-url", stack.url] : []));
      assert.equal(code, args.includes("--check") ? 1 : 0, `${args.join(" ")}\n${output}`);
    }
    await startWorker(stack, project);
  });
  after(async () => {
    await stack?.destroy();
    await platform?.close();
    project?.remove();
  });

  everyWay(() => ({ stack, platform, project, url: stack.url, name: "supabase" }));

  test("what was set on the platform is exactly what its functions read beside what Supabase provides", () => {
    const read = new Set(Object.keys(FUNCTIONS).flatMap((name) => bindingsOf(name, "supabase").secrets));
    assert.deepEqual(Object.keys(platform.secrets).sort(), [...[...read].filter((name) => !PROVIDED_BY_SUPABASE.includes(name)), "CORS_ORIGINS", "GREETING"].sort());
  });

  test("functions of a project without the older JWT keys use its publishable and its secret key", async () => {
    const { provided } = platform;
    const again = (name) => platform.answer({ args: ["functions", "deploy", name, "--project-ref", platform.project, "--use-api"], cwd: project.folder });
    const status = async (name) => (await fetch(`${stack.url}/functions/v1/${name}/health`)).status;
    try {
      platform.provided = { SUPABASE_URL: stack.url };
      for (const name of ["enqueue", "health"]) await again(name);
      assert.deepEqual([await status("enqueue"), await status("health")], [500, 500]);
      platform.provided = { SUPABASE_URL: stack.url, SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: stack.anonKey }), SUPABASE_SECRET_KEYS: JSON.stringify({ default: stack.serviceKey }) };
      for (const name of ["enqueue", "health"]) await again(name);
      assert.deepEqual([await status("enqueue"), await status("health")], [200, 200]);
    } finally {
      platform.provided = provided;
    }
  });

  test("config.toml has verify_jwt for every function and further name, and what the user had", () => {
    const text = project.read("supabase/config.toml");
    assert.match(text, /^# mine\nproject_id = "abcdefghijklmnopqrst"\n\n\[api\]\nport = 54321\n/);
    const names = ["greet", "greet-people", ...Object.entries(FUNCTIONS).flatMap(([name, { names = [] }]) => [name, ...names])];
    assert.deepEqual(Object.keys(parse(text).functions).sort(), names.sort());
    assert.deepEqual([...platform.functions.keys()].sort(), names.sort());
    for (const name of names) assert.equal(platform.functions.get(name).verifyJwt, false, name);
  });
});
