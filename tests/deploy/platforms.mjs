// Cloudflare and Supabase as far as a machine without accounts can have them. What a command deploys is really run: workers in Miniflare as wrangler's own
// reader of wrangler.toml understands them, Supabase's functions in Deno. A stand-in on PATH takes the place of `wrangler` and `supabase`.
//
// They have the manners of the real ones: whoever is not logged in is refused, secrets are never given back and never removed by a deployment, a worker cannot
// be bound to one that is not there, names that begin with SUPABASE_ are refused as secrets, and each sees exactly what it was given.
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { parse } from "smol-toml";

import { gristmill, functionsDir, root } from "../../sdk/local/stack/paths.mjs";
import { freePorts, isListening } from "../../sdk/local/stack/ports.mjs";
import { readEnv } from "../../sdk/local/deploy/files.mjs";
import { until } from "../support.mjs";

const standIn = path.join(path.dirname(fileURLToPath(import.meta.url)), "stand-ins/command.sh");
const command = path.join(root, "sdk/typescript/bin/gristmill.mjs");
const done = (value) => ({ code: 0, says: value === undefined ? "" : JSON.stringify(value) });
const refused = (says) => ({ code: 1, says });

/** A project of a user: an empty folder outside of the checkout, in which `gristmill deploy` is run with a platform's stand-in on PATH. */
export class Project {
  constructor(platform, env = {}) {
    this.platform = platform;
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-project-"));
    this.bin = path.join(this.folder, ".bin");
    fs.mkdirSync(this.bin);
    for (const name of platform.commands) fs.symlinkSync(standIn, path.join(this.bin, name));
    this.env = env;
  }

  file(name) {
    return path.join(this.folder, name);
  }

  write(name, text) {
    fs.mkdirSync(path.dirname(this.file(name)), { recursive: true });
    fs.writeFileSync(this.file(name), text);
  }

  /** A function of the user's own with a queue and a kind: it greets, with a word of its own secret. */
  writeGreeter() {
    this.write("functions/_shared/rpc.ts", `export const rpc = (env: Record<string, string>) => async (name: string, values: object) => {
  const answer = await fetch(\`\${env.SUPABASE_URL}/rest/v1/rpc/\${name}\`, { method: "POST", body: JSON.stringify(values),
    headers: { apikey: env.SUPABASE_ANON_KEY, authorization: \`Bearer \${env.SUPABASE_SERVICE_ROLE_KEY}\`, "content-type": "application/json" } });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
};
`);
    this.write("functions/greet-people/index.ts", `import { rpc } from "../_shared/rpc.ts";

export default {
  async fetch(request: Request, env: Record<string, string>): Promise<Response> {
    const { invocation, queue, batch } = await request.json();
    const [call, p_worker] = [rpc(env), "greeter"];
    const jobs: { id: string; attempt: number; payload: { name: string } }[] = await call("claim_jobs", { p_worker, p_queues: [queue], p_max: batch, p_invocation: invocation });
    const p_outcomes = jobs.map(({ id, attempt, payload }) => ({ id, attempt, outcome: "completed", result: { greeting: \`\${env.GREETING}, \${payload.name}\`, knows: Object.keys(env).sort() } }));
    if (jobs.length > 0) await call("settle_jobs", { p_worker, p_outcomes, p_invocation: invocation });
    return Response.json({ claimed: jobs.length });
  },
};
`);
    this.write("sql/greet.sql", `insert into mill.queue (queue, description, served_by, function) values ('greetings', 'Greetings', 'function', 'greet-people')
on conflict (queue) do update set function = excluded.function;
insert into mill.kind (kind, queue, description, open_to_users) values ('greet', 'greetings', 'Greets', true) on conflict (kind) do update set queue = excluded.queue;
`);
    fs.mkdirSync(this.file(".gristmill"), { recursive: true });
    fs.appendFileSync(this.file(".gristmill/secrets.env"), "GREETING=Hello there\n", { mode: 0o600 });
  }

  /** The function of `gristmill init`, made with the library of this checkout. It defines the job "greet" in the queue "greetings", or others. */
  writeTemplate({ kind = "greet", queue = "greetings" } = {}) {
    fs.cpSync(path.join(root, "sdk/typescript/templates/typescript/functions"), this.file("functions"), { recursive: true });
    this.write("functions/greet/job.ts", this.read("functions/greet/job.ts").replace('defineJob("greet"', `defineJob("${kind}"`).replace('queue: "greetings"', `queue: "${queue}"`));
    fs.mkdirSync(this.file("node_modules"), { recursive: true });
    fs.symlinkSync(path.join(root, "sdk/typescript"), this.file("node_modules/gristmill"));
  }

  read(name) {
    return fs.readFileSync(this.file(name), "utf8");
  }

  get secrets() {
    return readEnv(this.file(".gristmill/secrets.env"));
  }

  /** Runs the command. Its environment is that of a shell in which nothing else is set. */
  async gristmill(...args) {
    const env = { PATH: `${this.bin}:${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: this.folder, GRISTMILL_BIN: gristmill, GRISTMILL_FUNCTIONS_DIR: functionsDir,
      ...(process.env.GRISTMILL_SQL_DIR && { GRISTMILL_SQL_DIR: process.env.GRISTMILL_SQL_DIR }), TEST_PLATFORM: this.platform.control, ...this.env };
    const child = spawn(process.execPath, [command, ...args], { cwd: this.folder, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    const code = await new Promise((ended) => child.on("close", ended));
    return { code, output };
  }

  /** All files but those of the stand-ins, as {name: content}. */
  files() {
    const names = fs.readdirSync(this.folder, { recursive: true }).filter((name) => !/^(\.bin|node_modules)\b/.test(name) && fs.statSync(this.file(name)).isFile());
    return Object.fromEntries(names.sort().map((name) => [name, fs.readFileSync(this.file(name)).toString("base64")]));
  }

  remove() {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

class Platform {
  isLoggedIn = true;
  calls = [];
  /** The next call whose words begin with these fails, once. */
  failsOnce = null;

  async open(port) {
    this.port = port;
    this.server = http.createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const [cwd, ci, ...args] = body.split("\0").slice(0, -1);
      const call = { cwd, ci, args };
      this.calls.push(call);
      const words = call.args.join(" ");
      let answer;
      if (this.failsOnce && words.startsWith(this.failsOnce)) {
        this.failsOnce = null;
        answer = refused("✘ [ERROR] A request to the API failed. Please try again.");
      } else if (call.ci === "") {
        answer = refused("? Are you sure? (Y/n) … the input is not a terminal");
      } else {
        answer = await this.answer(call).catch((error) => refused(error.stack));
      }
      response.end(`${answer.code}\n${answer.says}`);
    });
    await new Promise((listening) => this.server.listen(0, "127.0.0.1", listening));
    this.control = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  /** What was asked for that changes something, as lines. */
  get changes() {
    return this.calls.map(({ args }) => args.join(" ")).filter((line) => this.changing.test(line));
  }
}

const option = (args, name) => args.includes(name) ? args[args.indexOf(name) + 1] : null;

export class Cloudflare extends Platform {
  commands = ["wrangler"];
  changing = /^(deploy (?!--help)|r2 bucket create|secret (put|bulk|delete))/;
  buckets = new Set();
  workers = new Map();

  constructor(r2Folder) {
    super();
    this.r2Folder = r2Folder;
  }

  async answer({ args, cwd }) {
    const line = args.join(" ");
    if (line === "deploy --help") return { code: 0, says: "      --secrets-file  Path to a file containing secrets" };
    if (line === "whoami --json") return this.isLoggedIn ? done({ loggedIn: true }) : refused('{"loggedIn":false}');
    if (!this.isLoggedIn) return refused("✘ [ERROR] You are not authenticated. Please run `wrangler login`.");
    if (line.startsWith("r2 bucket info ")) return this.buckets.has(args[3]) ? done({ name: args[3] }) : refused("✘ [ERROR] The specified bucket does not exist. [code: 10006]");
    if (line.startsWith("r2 bucket create ")) {
      if (this.buckets.has(args[3])) return refused("✘ [ERROR] The bucket you tried to create already exists. [code: 10004]");
      this.buckets.add(args[3]);
      return done();
    }
    if (line.startsWith("secret list ")) {
      const worker = this.workers.get(option(args, "--name"));
      return worker ? done(Object.keys(worker.secrets).map((name) => ({ name, type: "secret_text" }))) : refused("✘ [ERROR] This Worker does not exist on your account. [code: 10007]");
    }
    if (args[0] === "deploy") return this.#deploy(path.join(cwd, option(args, "--config")), option(args, "--env"), option(args, "--secrets-file") && path.join(cwd, option(args, "--secrets-file")));
    return refused(`the stand-in does not know: wrangler ${line}`);
  }

  async #deploy(config, env, secretsFile) {
    const { unstable_getMiniflareWorkerOptions: read } = await import("wrangler");
    const { workerOptions, main } = read(config, env);
    const { name } = parse(fs.readFileSync(config, "utf8")).env[env];
    for (const { name: bound } of Object.values(workerOptions.serviceBindings ?? {})) {
      if (!this.workers.has(bound)) return refused(`✘ [ERROR] Could not resolve service binding: there is no Worker ${bound}. [code: 10143]`);
    }
    for (const { id } of Object.values(workerOptions.r2Buckets ?? {})) {
      if (!this.buckets.has(id)) return refused(`✘ [ERROR] R2 bucket '${id}' not found. [code: 10085]`);
    }
    if (secretsFile && (fs.statSync(secretsFile).mode & 0o077) !== 0) return refused("the file of secrets can be read by others");
    const secrets = { ...this.workers.get(name)?.secrets, ...(secretsFile && JSON.parse(fs.readFileSync(secretsFile, "utf8"))) };
    // A copy, as an upload is one: what changes in the user's folder later does not change what runs.
    const folder = path.dirname(path.resolve(path.dirname(config), main));
    const modules = fs.readdirSync(folder).sort((one) => (one === "index.js" ? -1 : 1)).map((file) => ({
      type: file.endsWith(".wasm") ? "CompiledWasm" : "ESModule", path: path.join(folder, file), contents: fs.readFileSync(path.join(folder, file)) }));
    this.workers.set(name, { secrets, options: { ...workerOptions, name, rootPath: folder, modulesRoot: folder, modules }, vars: workerOptions.bindings ?? {},
      environment: parse(fs.readFileSync(config, "utf8")).env[env], isPublic: env === "router" });
    if ([...this.workers.values()].some(({ isPublic }) => isPublic)) await this.serve();
    return done();
  }

  // The public worker is Miniflare's first, which answers at the address. The others have none.
  async serve() {
    const { Log, LogLevel, Miniflare } = await import("miniflare");
    const all = [...this.workers.values()].sort((one, other) => other.isPublic - one.isPublic);
    const options = { host: "127.0.0.1", port: this.port, cf: false, telemetry: { enabled: false }, log: new Log(LogLevel.ERROR), r2Persist: this.r2Folder,
      workers: all.map(({ options: { routes, unsafeDirectSockets, ...worker }, secrets }) => ({ ...worker, bindings: { ...worker.bindings, ...secrets } })) };
    if (this.miniflare) await this.miniflare.setOptions(options);
    else this.miniflare = new Miniflare(options);
    await this.miniflare.ready;
  }

  async close() {
    await this.miniflare?.dispose();
    this.server?.close();
  }
}

export class Supabase extends Platform {
  commands = ["supabase"];
  changing = /^(secrets set|functions deploy|functions delete)/;
  secrets = {};
  functions = new Map();

  /** `provided`: what the platform itself gives each function; `isToken`: whether it would let a token through where verify_jwt is on. */
  constructor({ project, provided, isToken }) {
    super();
    Object.assign(this, { project, provided, isToken });
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-supabase-"));
  }

  async open(port) {
    await super.open(port);
    this.front = http.createServer((request, response) => this.#pass(request, response));
    await new Promise((listening) => this.front.listen(port, "127.0.0.1", listening));
    return this;
  }

  async answer({ args, cwd }) {
    const line = args.join(" ");
    if (!this.isLoggedIn) return refused("Access token not provided. Supply an access token by running supabase login or setting the SUPABASE_ACCESS_TOKEN environment variable.");
    if (line === "projects list --output json") return done([{ id: this.project, ref: this.project, name: "test" }]);
    if (option(args, "--project-ref") !== this.project) return refused("Cannot find project ref. Have you run supabase link?");
    if (line.startsWith("secrets list ")) return done(Object.keys(this.secrets).map((name) => ({ name, value: "a digest" })));
    if (line.startsWith("functions list ")) return done([...this.functions].map(([slug, { verifyJwt }]) => ({ slug, name: slug, status: "ACTIVE", verify_jwt: verifyJwt })));
    if (line.startsWith("secrets set ")) {
      const file = path.join(cwd, option(args, "--env-file"));
      if ((fs.statSync(file).mode & 0o077) !== 0) return refused("the file of secrets can be read by others");
      const given = readEnv(file);
      const reserved = Object.keys(given).find((name) => name.startsWith("SUPABASE_"));
      if (reserved) return refused(`Env name cannot start with SUPABASE_, skipping: ${reserved}`);
      Object.assign(this.secrets, given);
      for (const name of this.functions.keys()) await this.#start(name);
      return done();
    }
    if (line.startsWith("functions deploy ")) {
      const name = args[2];
      const source = path.join(cwd, "supabase/functions", name);
      if (!fs.existsSync(path.join(source, "index.ts"))) return refused(`failed to read file: open supabase/functions/${name}/index.ts: no such file or directory`);
      const config = parse(fs.readFileSync(path.join(cwd, "supabase/config.toml"), "utf8"));
      fs.cpSync(source, path.join(this.folder, name), { recursive: true });
      this.functions.set(name, { ...this.functions.get(name), verifyJwt: config.functions?.[name]?.verify_jwt ?? true });
      await this.#start(name);
      return done();
    }
    return refused(`the stand-in does not know: supabase ${line}`);
  }

  async #start(name) {
    const deployed = this.functions.get(name);
    await stopped(deployed.process);
    const [port] = await freePorts(1);
    const child = spawn(path.join(root, "node_modules/.bin/deno"), ["run", "--no-prompt", "--no-config", "--no-lock", "--allow-net", "--allow-env", "index.ts"], {
      cwd: path.join(this.folder, name), detached: true, stdio: ["ignore", "ignore", fs.openSync(path.join(this.folder, `${name}.log`), "a")],
      // Exactly what the platform provides and what was set, and how Deno is to be run here.
      env: { ...this.provided, ...this.secrets, PATH: process.env.PATH, HOME: this.folder, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", PORT: String(port), GRISTMILL_HOST: "127.0.0.1" } });
    Object.assign(deployed, { process: child, port });
    await until(() => isListening(port), `the function ${name} listening (${path.join(this.folder, `${name}.log`)})`, 60_000);
  }

  #pass(request, response) {
    const name = /^\/functions\/v1\/([^/?]+)/.exec(request.url)?.[1];
    const deployed = this.functions.get(name);
    const say = (status, message) => {
      request.resume();
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ code: status, message }));
    };
    if (!deployed) return say(404, "Requested function was not found");
    if (deployed.verifyJwt && request.method !== "OPTIONS" && !this.isToken(request.headers.authorization)) return say(401, "Invalid JWT");
    const target = http.request({ host: "127.0.0.1", port: deployed.port, method: request.method, headers: request.headers, path: request.url.replace("/functions/v1", "") }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    target.on("error", () => response.headersSent ? response.destroy() : response.writeHead(502).end());
    response.on("close", () => target.destroy());
    request.pipe(target);
  }

  async close() {
    this.front?.close();
    this.server?.close();
    await Promise.all([...this.functions.values()].map(({ process }) => stopped(process)));
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

// What npm calls deno is a script that starts the real one: the signal goes to the group, which is the child's own.
async function stopped(child) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  process.kill(-child.pid, "SIGKILL");
  await ended;
}
