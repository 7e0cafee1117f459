// The container image and compose.yaml, really built and run: see containers.mjs. Some minutes, because a killed worker's jobs come
// back when their leases end, at default settings.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import pg from "pg";

import { checkoutState, root } from "../../sdk/local/stack/paths.mjs";
import { freePorts } from "../../sdk/local/stack/ports.mjs";
import { Postgres } from "../../sdk/local/stack/postgres.mjs";
import { until } from "../support.mjs";
import { buildImage, Deployment, podman, scratch } from "./containers.mjs";

const IMAGE = "localhost/gristmill-test";
const files = scratch();
const state = path.join(checkoutState, `test-deploy-${process.pid}`);
let postgres, client, deployment, secrets;

before(async () => {
  const begun = Date.now();
  await buildImage(IMAGE);
  console.log(`# the image was built in ${((Date.now() - begun) / 1000).toFixed(0)} s`);
  execFileSync(process.execPath, [path.join(root, "deploy/compose/secrets.mjs"), path.join(files, ".env")]);
  secrets = Object.fromEntries(fs.readFileSync(path.join(files, ".env"), "utf8").trim().split("\n").map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const [port] = await freePorts(1);
  fs.mkdirSync(state, { recursive: true });
  for (let folder = state; folder.startsWith(path.dirname(checkoutState)); folder = path.dirname(folder)) fs.chmodSync(folder, 0o755);
  postgres = new Postgres({ flavour: "embedded", dataDir: path.join(state, "postgres"), port, password: secrets.POSTGRES_PASSWORD, logDir: state });
  await postgres.start();
  client = new pg.Client({ connectionString: postgres.url().replace(/\/gristmill$/, "/postgres") });
  client.on("error", () => {});
  await client.connect();
  deployment = new Deployment({ image: IMAGE, env: secrets, postgres });
  await deployment.open();
});
after(async () => {
  await deployment?.close();
  await client?.end();
  await postgres?.stop();
  fs.rmSync(state, { recursive: true, force: true });
  fs.rmSync(files, { recursive: true, force: true });
});

const sql = async (text, values) => (await client.query(text, values)).rows;
const service = (method, call, body) => deployment.call(method, `http://127.0.0.1:3000/rest/v1/${call}`, { token: secrets.SERVICE_ROLE_KEY, body });
const start = async (type, params = {}) => {
  const [status, answer] = await service("POST", "rpc/start_workflow", { p_type: type, p_params: params, p_user_id: randomUUID() });
  assert.equal(status, 200, JSON.stringify(answer));
  return answer.id;
};
const finished = (ids, patience) => until(async () => {
  const rows = await sql("select status from mill.workflow where id = any($1) and status in ('completed', 'failed', 'cancelled')", [ids]);
  return rows.length === ids.length && rows.map((row) => row.status);
}, `${ids.length} workflows ending`, patience);

test("the image runs as a user that is not root, and stops by SIGTERM", async () => {
  const config = JSON.parse(await podman("image", "inspect", IMAGE))[0].Config;
  assert.equal(config.User, "10001");
  assert.equal(config.StopSignal, "SIGTERM");
  assert.deepEqual(config.Entrypoint, ["gristmill"]);
});

test("the image has every program that the worker calls", async () => {
  const missing = await podman("run", "--rm", "--network", "none", "--no-healthcheck", "--ulimit", "nofile=1024:20000", "--ulimit", "nproc=1024:4096",
    "--entrypoint", "sh", IMAGE, "-c", "for tool in tesseract pdftotext pdftoppm espeak-ng lame heif-convert curl; do command -v $tool >/dev/null || echo $tool; done");
  assert.equal(missing, "");
});

test("every service of compose.yaml starts from the image and is healthy", async () => {
  await deployment.once("migrate");
  // psql's image is not reached: its statement is sent by the test.
  const { command } = deployment.services.login;
  await client.query(command.at(-1));
  await deployment.once("configure");
  for (const name of ["gateway", "relay", "storage", "worker"]) await deployment.up(name);
  const [{ sessions }] = await sql("select count(*)::int as sessions from pg_stat_activity where application_name like 'gristmill relay%'");
  assert.ok(sessions > 0, "the relay has a session");
  const unsafe = await podman("exec", `${deployment.name}-worker`, "sh", "-c", "touch /var/lib/gristmill/x 2>/dev/null && echo writable; grep -E '^(CapEff|NoNewPrivs)' /proc/1/status | tr -d '\\t'");
  assert.equal(unsafe, "CapEff:0000000000000000\nNoNewPrivs:1", "the worker can write only where it has to, and has no right of root");
  assert.deepEqual(Object.keys(deployment.services).sort(), ["configure", "gateway", "login", "migrate", "postgres", "relay", "storage", "worker"]);
});

test("the deployment refuses a token that it has not signed, and the gateway's role without its password", async () => {
  const [status] = await deployment.call("GET", "http://127.0.0.1:3000/rest/v1/rpc/queue_stats", { token: "not-a-token" });
  assert.equal(status, 401);
  const stranger = new pg.Client({ connectionString: postgres.url("authenticator", randomBytes(12).toString("hex")).replace(/\/gristmill$/, "/postgres") });
  await assert.rejects(stranger.connect(), /password authentication failed/);
});

test("a workflow of the deployment goes the whole way: PDF and MP3 are made in the container and stored in its volume", async (t) => {
  const begun = Date.now();
  const id = await start("nuclear_v2");
  assert.deepEqual(await finished([id], 180_000), ["completed"]);
  t.diagnostic(`sixteen documents took ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  const kinds = await sql("select artifact_type as type, count(*)::int as files from public.job_artifacts where job_id = $1 group by 1 order by 1", [id]);
  assert.deepEqual(kinds.filter(({ type }) => ["audio_mp3", "pdf"].includes(type)), [{ type: "audio_mp3", files: 16 }, { type: "pdf", files: 17 }]);
  const stored = await podman("exec", `${deployment.name}-storage`, "sh", "-c", "find /var/lib/gristmill/files -type f | wc -l");
  assert.ok(Number(stored) >= 32, `${stored} files are in the volume`);
});

test("with three workers, one killed and one drained by SIGTERM, every workflow ends and the drained worker leaves no job behind", async (t) => {
  // One namespace, so each replica needs a port of its own; in a real deployment each has an address of its own.
  const replica = (worker, port) => deployment.up("worker", {
    container: `${deployment.name}-${worker}`, env: { WORKER_ID: worker, WORKER_LISTEN: `0.0.0.0:${port}`, WORKER_CPUS: "1" },
    healthcheck: { test: ["CMD", "curl", "-fsS", `http://127.0.0.1:${port}/live`] },
  });
  const killed = await replica("killed", 8081);
  const drained = await replica("drained", 8082);
  const ids = [];
  for (let i = 0; i < 4; i++) ids.push(await start("nuclear_v2"));
  const held = (worker) => sql("select count(*)::int as jobs from mill.job_live where state = 'processing' and worker like $1", [`${worker}%`]).then(([row]) => row.jobs);
  await until(async () => await held("killed") > 0 && await held("drained") > 0, "both workers having work", 60_000);

  await podman("kill", "--signal", "KILL", killed);
  const begun = Date.now();
  await podman("stop", drained);
  const seconds = (Date.now() - begun) / 1000;
  assert.equal(await deployment.state(drained), "exited 0");
  assert.ok(seconds < 40, `drained in ${seconds} s, before the platform would kill it`);
  assert.equal(await held("drained"), 0);

  const results = await finished(ids, 480_000);
  assert.deepEqual(results, ids.map(() => "completed"));
  t.diagnostic(`drained in ${seconds.toFixed(1)} s; all workflows ended ${((Date.now() - begun) / 1000).toFixed(0)} s after the kill`);
});
