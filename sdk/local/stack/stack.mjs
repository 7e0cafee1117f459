// The whole system on this machine, started and stopped as one: Postgres, the gateway (which is also the
// front for the functions, as on Supabase), the relay, and workerd with every function.
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { exposed, migrations, variables } from "./applications.mjs";
import * as keys from "./keys.mjs";
import { Part } from "./part.mjs";
import { checkoutState, gristmill, isInstalled, root, stateRoot } from "./paths.mjs";
import { freePorts, isListening } from "./ports.mjs";
import { Postgres } from "./postgres.mjs";
import * as registry from "./registry.mjs";
import { configuration, scanner } from "./scanner.mjs";

const run = promisify(execFile);
const here = path.dirname(fileURLToPath(import.meta.url));

export class Stack {
  /** Those of this process that were started and not stopped: whoever is interrupted ends them. */
  static running = new Set();

  /**
   * @param {string} name  data lives in a folder of this name: "dev" is never touched by tests
   * @param {{postgres?: "embedded"|"debian", parts?: string[], storage?: "supabase"|"r2",
   *          applications?: "all"|"none"|string[], schemas?: Record<string, string>, ground?: string,
   *          functions?: string[], env?: Record<string, object>, settings?: Record<string, string>, standby?: number, realtime?: boolean, binary?: string,
   *          port?: number, reload?: boolean,
   *          onStep?: (message: string) => void}} [options]
   *   applications: what is installed beside the engine; schemas: where, by application, if not in public
   *   ground: SQL that is run before anything is installed: what the database has of its own
   *   functions: those to serve, where not all are wanted; fewer start sooner
   *   env: further environment of a part, by its name
   *   settings: of Postgres, where others are wanted than all stacks have
   *   standby: the port of a replica, which every part tries after Postgres itself
   *   realtime: whether the gateway stands in for Supabase Realtime
   *   binary: another build of `gristmill` than the one that the tests run
   *   port: of the gateway, where it must be a certain one
   *   reload: whether the user's own functions are watched, in a project
   *   parts also: "storage" the Supabase Storage stand-in, "work" the container worker, "clamd" its virus scanner, "provider" the simulated API
   *   "deno" may stand in the place of "workerd": the same functions, served by the other runtime
   */
  constructor(name, { postgres = "embedded", parts = ["gateway", "relay", "workerd"], storage = "supabase", functions = null,
    applications = "all", schemas = {}, ground = null, env = {}, settings = {}, standby = null, realtime = false, binary = gristmill, port = null, reload = false,
    onStep = () => {} } = {}) {
    Object.assign(this, { name, flavour: postgres, wanted: parts, storage, functions, applications, schemas, ground, env, settings, standby, realtime, binary, port,
      reload, onStep });
    this.folder = path.join(checkoutState, name);
    this.logDir = path.join(this.folder, "logs");
    this.parts = {};
  }

  /** Starts Postgres and the parts; `first`: those of them that are started now, where others follow by `add`. */
  async start(first = this.wanted) {
    Stack.running.add(this);
    fs.mkdirSync(this.logDir, { recursive: true });
    // Root keeps data where Postgres's user can reach it; only the folders are open, the files are not.
    for (let folder = this.folder; folder.startsWith(stateRoot); folder = path.dirname(folder)) {
      fs.chmodSync(folder, 0o755);
    }
    this.secrets = keys.secrets(path.join(this.folder, "secrets.json"));
    const [postgresPort, freePort, adminPort, functionsPort, storagePort, workPort, providerPort] = await freePorts(7);
    const gatewayPort = this.port ?? freePort;
    this.ports = { gatewayPort, adminPort, functionsPort, storagePort, workPort, providerPort };
    this.url = `http://127.0.0.1:${gatewayPort}`;
    this.functionsUrl = `http://127.0.0.1:${functionsPort}`;
    this.adminUrl = `http://127.0.0.1:${adminPort}`;
    this.storageUrl = `http://127.0.0.1:${storagePort}`;
    this.workUrl = `http://127.0.0.1:${workPort}`;
    this.providerUrl = `http://127.0.0.1:${providerPort}`;
    this.anonKey = await this.token({ role: "anon" });
    this.serviceKey = await this.token({ role: "service_role" });
    try {
      await this.#startPostgres(postgresPort);
      await this.add(first);
    } catch (error) {
      await this.stop();
      throw error;
    }
    return this;
  }

  /** Starts further parts of a stack that is up. All know each other's addresses from the beginning. */
  async add(parts) {
    for (const name of parts) {
      if (!Stack.running.has(this)) throw new Error("stopped while it started");
      this.parts[name] = this.#part(name, this.ports);
      this.onStep(name);
      await this.parts[name].start();
      this.#record();
    }
  }

  /** Stops what was started, in the order that lets work in flight finish. */
  async stop({ keepsData = true } = {}) {
    Stack.running.delete(this);
    for (const name of ["work", "clamd", "relay", "workerd", "deno", "storage", "provider", "gateway"]) await this.parts[name]?.stop();
    await this.postgres?.stop({ keepsData });
    registry.forget(this.folder);
  }

  /** Starts a part again after it was killed, at the same address. */
  async restart(name) {
    await this.parts[name].start();
    this.#record();
  }

  /** Stops a part and starts another in its place, at the same address: "deno" for "workerd", or the same one under options that were changed. */
  async replace(old, name = old) {
    await this.parts[old].stop();
    delete this.parts[old];
    this.parts[name] = this.#part(name, this.ports);
    await this.restart(name);
  }

  /** Stops it and removes its data. */
  async destroy() {
    await this.stop({ keepsData: false });
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  token(claims) {
    return keys.token(this.secrets.jwtSecret, claims);
  }

  /** Where the console is, signed in. */
  get consoleLink() {
    return `${this.url}/console/#key=${this.secrets.consoleKey}`;
  }

  get scannerSocket() {
    return path.join(this.folder, "clamd.sock");
  }

  get databaseUrl() {
    return this.postgres.url();
  }

  /** Runs one `gristmill` command against this stack's database. */
  async gristmill(...args) {
    const { stdout } = await run(this.binary, args, {
      env: { ...process.env, GRISTMILL_DATABASE_URL: this.databaseUrl, GRISTMILL_INVOKE_SECRET: this.secrets.invokeSecret },
    });
    return stdout;
  }

  /** Brings the database to this version, with the applications of this stack. */
  async migrate() {
    for (const args of migrations(this.applications, this.schemas)) await this.gristmill("migrate", ...args);
  }

  #record() {
    const pids = Object.fromEntries(Object.entries(this.parts).map(([name, part]) => [name, part.pid]));
    registry.record(this.folder, { url: this.url, databaseUrl: this.databaseUrl, pids });
  }

  async #startPostgres(port) {
    this.onStep("postgres");
    this.postgres = new Postgres({
      flavour: this.flavour,
      dataDir: path.join(this.folder, `postgres-${this.flavour}`),
      port,
      password: this.secrets.postgresPassword,
      logDir: this.logDir,
      env: { ...registry.mark(this.folder), ...this.env.postgres },
      settings: this.settings,
      standby: this.standby,
    });
    this.parts.postgres = this.postgres.part;
    await this.postgres.start();
    this.#record();
    this.onStep("migrate");
    if (this.ground) await this.postgres.query(this.ground);
    await this.migrate(); // first: it switches on pg_cron where there is one
    await this.gristmill("relay", "--install-only", ...(this.realtime ? ["--realtime"] : []));
    await this.gristmill("configure", "--functions-url", `${this.url}/functions/v1`,
      ...(this.wanted.includes("work") ? ["--worker-url", this.workUrl] : []));
    await this.postgres.openAuthenticator(this.secrets.authenticatorPassword);
  }

  #part(name, { gatewayPort, adminPort, functionsPort, storagePort, workPort, providerPort }) {
    const { logDir } = this;
    const mark = { ...registry.mark(this.folder), ...this.env[name] };
    switch (name) {
      case "gateway":
        return new Part(name, {
          command: this.binary,
          args: ["gateway", "--listen", `127.0.0.1:${gatewayPort}`, "--admin-listen", `127.0.0.1:${adminPort}`,
            "--anon-role", "anon", "--functions-url", this.functionsUrl,
            "--storage-url", this.storageUrl, "--schemas", exposed(this.schemas).join(","), ...(this.realtime ? ["--realtime"] : [])],
          env: {
            GRISTMILL_DATABASE_URL: this.postgres.url("authenticator", this.secrets.authenticatorPassword),
            GRISTMILL_JWT_SECRET: this.secrets.jwtSecret,
            // Not as arguments: a binary of an earlier release, which tests of upgrades run, would refuse them.
            GRISTMILL_CONSOLE: "true",
            GRISTMILL_CONSOLE_KEY: this.secrets.consoleKey,
            // In a checkout the page is bundled beside the binary, perhaps after it.
            ...(!isInstalled && { GRISTMILL_CONSOLE_FILES: path.join(root, "console/dist") }),
            ...mark,
          },
          logDir,
          isReady: () => answers(`${this.adminUrl}/ready`),
        });
      case "relay":
        return new Part(name, {
          command: this.binary,
          args: ["relay"],
          env: { GRISTMILL_DATABASE_URL: this.databaseUrl, ...mark },
          logDir,
          isReady: () => this.#relayServes(),
        });
      case "provider":
        return new Part(name, {
          command: process.execPath,
          args: [path.join(root, "scripts/lib/provider/main.mjs"), String(providerPort)],
          env: mark,
          logDir,
          isReady: () => isListening(providerPort),
        });
      case "storage":
        return new Part(name, {
          command: this.binary,
          args: ["storage", "--listen", `127.0.0.1:${storagePort}`, "--folder", path.join(this.folder, "storage"),
            "--rest-url", `${this.url}/rest/v1`],
          env: { ...variables(this.schemas), GRISTMILL_JWT_SECRET: this.secrets.jwtSecret, ...mark },
          logDir,
          isReady: () => answers(`${this.storageUrl}/storage/v1/status`),
        });
      case "work":
        return new Part(name, {
          command: this.binary,
          // Where nobody sends what Postgres asks for, it is not called and must look by itself.
          args: ["work", "--listen", `127.0.0.1:${workPort}`, "--heartbeat", "5",
            ...(this.wanted.includes("relay") ? [] : ["--poll", "0.1", "--poll-max", "0.25"])],
          env: {
            SUPABASE_URL: this.url,
            SUPABASE_SERVICE_ROLE_KEY: this.serviceKey,
            STORAGE: this.storage,
            FILES_SECRET: this.secrets.filesSecret,
            ...variables(this.schemas),
            ...(this.wanted.includes("clamd") && { WORKER_CLAMD: this.scannerSocket }),
            ...mark,
          },
          logDir,
          isReady: () => answers(`${this.workUrl}/live`),
        });
      case "clamd": {
        const found = scanner();
        if ("missing" in found) throw new Error(found.missing);
        const folder = path.join(this.folder, "clamd");
        fs.mkdirSync(folder, { recursive: true });
        fs.rmSync(this.scannerSocket, { force: true });
        const file = path.join(folder, "clamd.conf");
        fs.writeFileSync(file, configuration({ databases: found.databases, folder, socket: this.scannerSocket }));
        return new Part(name, { command: found.command, args: ["--config-file", file], env: mark, logDir, isReady: async () => fs.existsSync(this.scannerSocket) });
      }
      case "workerd":
      case "deno":
        return new Part(name, {
          command: process.execPath,
          args: [path.join(here, `${name}.mjs`), String(functionsPort), path.join(this.folder, "r2")],
          env: {
            ...mark,
            ...(this.functions && { GRISTMILL_FUNCTIONS: this.functions.join(",") }),
            ...(this.reload && { GRISTMILL_RELOAD: "1" }),
            GRISTMILL_BINDINGS: JSON.stringify({
              SUPABASE_URL: this.url,
              SUPABASE_ANON_KEY: this.anonKey,
              SUPABASE_SERVICE_ROLE_KEY: this.serviceKey,
              INVOKE_SECRET: this.secrets.invokeSecret,
              ALERT_WEBHOOK_SECRET: this.secrets.alertSecret,
              HEALTH_TOKEN: this.secrets.healthToken,
              METRICS_TOKEN: this.secrets.metricsToken,
              STORAGE: this.storage,
              FILES_SECRET: this.secrets.filesSecret,
              FMP_BASE_URL: this.providerUrl,
              ALLOW_PRIVATE_PROVIDERS: "true",
              ...variables(this.schemas),
              ...this.env.functions,
            }),
          },
          logDir,
          isReady: () => isListening(functionsPort),
        });
      default:
        throw new Error(`the stack has no part named ${name}`);
    }
  }

  // The relay has no port: it is there when its session is.
  async #relayServes() {
    const { rows } = await this.postgres.query(
      "select count(*)::int as sessions from pg_stat_activity where application_name like 'gristmill relay%'");
    return rows[0].sessions > 0;
  }
}

async function answers(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
