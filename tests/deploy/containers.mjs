// Runs the services of deploy/compose/compose.yaml as real containers, on a machine that reaches no registry and has no Docker.
//
// All services share one network namespace of the test's own, in which each service's name is 127.0.0.1. So every address and port
// of the file holds as it is written, and nothing listens on the machine. Postgres runs outside, and is reached through its socket file.
import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import yaml from "js-yaml";

import { cacheRoot, gristmill, root } from "../../sdk/local/stack/paths.mjs";
import { isAlive, until } from "../support.mjs";

const run = promisify(execFile);
const here = path.dirname(fileURLToPath(import.meta.url));
export const composeFile = path.join(root, "deploy/compose/compose.yaml");
export const compose = () => yaml.load(fs.readFileSync(composeFile, "utf8"));

/** `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, as compose fills them in. */
export function filled(value, env) {
  if (Array.isArray(value)) return value.map((item) => filled(item, env));
  if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, env)]));
  if (typeof value !== "string") return value;
  return value.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, kind, text) => {
    if (env[name]) return env[name];
    if (kind === "-") return text;
    throw new Error(`${name} is not set${kind ? `: ${text}` : ""}`);
  });
}

/** Builds the image from the binary under test. Debian's packages stand in for the base image. */
export async function buildImage(tag) {
  const { stdout } = await run(path.join(root, "scripts/lib/image.sh"), ["--stand-in", "--binary", gristmill, "--tag", tag],
    { cwd: root, maxBuffer: 1 << 26 });
  return stdout;
}

const folder = process.env.GRISTMILL_CONTAINERS ?? path.join(cacheRoot, "containers");
export const podman = async (...args) => {
  const { stdout, stderr } = await run("podman", ["--root", path.join(folder, "storage"), "--runroot", path.join(folder, "run"),
    "--runtime", "/usr/sbin/runc", "--cgroup-manager", "cgroupfs", "--events-backend", "file", ...args], { maxBuffer: 1 << 26 });
  return stdout.trim() || stderr.trim();
};

const seconds = (text) => Number(/^(\d+)s$/.exec(text)[1]);

// A test that was killed leaves its containers and its network behind. Only those are removed whose process is gone.
async function removeLeftovers() {
  const { stdout } = await run("ip", ["netns", "list"]);
  const dead = [...stdout.matchAll(/^(gristmill-test-(\d+))\b/gm)].filter((match) => !isAlive(Number(match[2]))).map((match) => match[1]);
  if (dead.length === 0) return;
  const containers = (await podman("ps", "--all", "--format", "{{.Names}}")).split("\n");
  for (const name of dead) {
    for (const container of containers.filter((each) => each.startsWith(`${name}-`))) await podman("rm", "--force", "--time", "0", "--volumes", container);
    await run("ip", ["netns", "delete", name]);
  }
}

export class Deployment {
  /** @param {{image: string, env: Record<string, string>, postgres: import("../../sdk/local/stack/postgres.mjs").Postgres}} options */
  constructor({ image, env, postgres }) {
    Object.assign(this, { image, env, postgres });
    this.name = `gristmill-test-${process.pid}`;
    this.services = filled(compose().services, env);
    this.started = [];
  }

  async open() {
    await removeLeftovers();
    await run("ip", ["netns", "add", this.name]);
    await run("ip", ["-n", this.name, "link", "set", "lo", "up"]);
    const socket = path.join(this.postgres.socketDir, `.s.PGSQL.${this.postgres.port}`);
    this.forwarder = spawn("ip", ["netns", "exec", this.name, process.execPath, path.join(here, "forward.mjs"), "5432", socket],
      { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve, reject) => {
      this.forwarder.stdout.once("data", resolve);
      this.forwarder.once("exit", (code) => reject(new Error(`the forwarder ended with ${code}`)));
    });
  }

  #arguments(service, container, { env = {}, healthcheck = this.services[service].healthcheck } = {}) {
    const { command, environment = {}, stop_grace_period: grace, volumes = [], read_only: readOnly, tmpfs = [],
      cap_drop: dropped = [], security_opt: security = [] } = this.services[service];
    // podman 4 takes a list of words for one word, so the words go as a line; none of them needs a quote.
    const health = healthcheck?.disable ? ["--no-healthcheck"]
      : ["--health-interval=disable", ...(healthcheck ? [`--health-cmd=${healthcheck.test.slice(1).join(" ")}`] : [])];
    return [
      "--name", container, "--network", `ns:/run/netns/${this.name}`,
      ...Object.keys(this.services).flatMap((name) => ["--add-host", `${name}:127.0.0.1`]),
      // podman would raise them, which root may not do everywhere.
      "--ulimit", "nofile=1024:20000", "--ulimit", "nproc=1024:4096",
      ...health,
      ...(grace ? ["--stop-timeout", String(seconds(grace))] : []),
      ...(readOnly ? ["--read-only", "--read-only-tmpfs=false"] : []),
      ...tmpfs.flatMap((place) => ["--tmpfs", place]),
      ...dropped.flatMap((right) => ["--cap-drop", right]),
      ...security.flatMap((option) => ["--security-opt", option.replace(/:true$/, "")]),
      ...volumes.flatMap((volume) => ["--volume", `${this.name}-${volume}`]),
      // A name without a value is passed on from .env, and left out where .env has none.
      ...Object.entries({ ...environment, ...env }).map(([key, value]) => [key, value ?? this.env[key]])
        .filter(([, value]) => value !== undefined).flatMap(([key, value]) => ["--env", `${key}=${value}`]),
      this.image, ...command,
    ];
  }

  /** Runs a service to its end. */
  async once(service) {
    const container = `${this.name}-${service}`;
    this.started.push(container);
    return podman("run", ...this.#arguments(service, container));
  }

  /** Starts a service, and waits until it is healthy if it says how to know. */
  async up(service, { container = `${this.name}-${service}`, ...changed } = {}) {
    this.started.push(container);
    await podman("run", "--detach", ...this.#arguments(service, container, changed));
    if (this.services[service].healthcheck?.disable) return container;
    await until(() => this.isHealthy(container), `${container} being healthy`, 60_000).catch(async (error) => {
      throw new Error(`${error.message}\n${await podman("logs", "--tail", "20", container)}`);
    });
    return container;
  }

  async isHealthy(container) {
    return podman("healthcheck", "run", container).then(() => true, () => false);
  }

  state(container) {
    return podman("inspect", "--format", "{{.State.Status}} {{.State.ExitCode}}", container);
  }

  /** An HTTP request from inside: [status, JSON]. */
  async call(method, url, { token, body } = {}) {
    const { stdout } = await run("ip", ["netns", "exec", this.name, "curl", "--silent", "--show-error", "--max-time", "20", "--request", method,
      "--write-out", "\n%{http_code}", "--header", "content-type: application/json", ...(token ? ["--header", `authorization: Bearer ${token}`] : []),
      ...(body ? ["--data", JSON.stringify(body)] : []), url], { maxBuffer: 1 << 26 });
    const end = stdout.lastIndexOf("\n");
    return [Number(stdout.slice(end + 1)), stdout.slice(0, end) && JSON.parse(stdout.slice(0, end))];
  }

  async close() {
    for (const container of this.started) await podman("rm", "--force", "--time", "0", "--volumes", container).catch(() => {});
    for (const volume of ["files"]) await podman("volume", "rm", "--force", `${this.name}-${volume}`).catch(() => {});
    if (this.forwarder) {
      const ended = new Promise((resolve) => this.forwarder.once("exit", resolve));
      this.forwarder.kill();
      await ended;
    }
    await run("ip", ["netns", "delete", this.name]).catch(() => {});
  }
}

/** A folder that is gone with the test. */
export const scratch = () => fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-deploy-"));
