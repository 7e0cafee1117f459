// What the files of deploy/ say about Gristmill is true: commands, variables, ports, metrics and queues exist. Whether the files
// are well-formed for their platforms, and whether image and compose really run, is tested in tests/deploy.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import yaml from "js-yaml";
import { parse } from "smol-toml";

import { gristmill, root } from "../../sdk/local/stack/paths.mjs";
import { startStack } from "../support.mjs";

const read = (file) => fs.readFileSync(path.join(root, file), "utf8");
const compose = yaml.load(read("deploy/compose/compose.yaml"));
const render = yaml.load(read("deploy/render.yaml"));
const fly = parse(read("deploy/fly.toml"));
const kubernetes = fs.readdirSync(path.join(root, "deploy/kubernetes")).flatMap((name) => yaml.loadAll(read(`deploy/kubernetes/${name}`)));
const scaled = kubernetes.find(({ kind }) => kind === "ScaledObject");
const rules = yaml.load(read("deploy/prometheus/rules.yml")).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read("deploy/grafana/dashboard.json"));
const queries = [
  ...rules.map(({ expr }) => expr), scaled.spec.triggers[0].metadata.query,
  ...dashboard.panels.flatMap((panel) => (panel.targets ?? []).map(({ expr }) => expr)),
];

// Every place where a file of deploy/ starts the image: what it runs, with what.
const uses = [
  ...Object.entries(compose.services).filter(([, service]) => /GRISTMILL_IMAGE/.test(service.image))
    .map(([name, service]) => ({ where: `compose ${name}`, command: service.command, env: Object.keys(service.environment) })),
  ...render.services.map((service) => ({ where: `render ${service.name}`, command: ["work"], env: service.envVars.map(({ key }) => key) })),
  ...Object.entries(fly.processes).map(([name, line]) => ({ where: `fly ${name}`, command: line.split(" "), env: Object.keys(fly.env) })),
  ...kubernetes.filter(({ kind }) => kind === "Deployment").flatMap(({ metadata, spec }) => spec.template.spec.containers.map((container) => (
    { where: `kubernetes ${metadata.name}`, command: container.args, env: (container.env ?? []).map(({ name }) => name) }))),
];

const help = (command) => execFileSync(gristmill, [command, "--help"], { encoding: "utf8" });
// Secrets and the settings of models are no flags, so --help does not have them: the worker's page does.
const documented = new Set([...read("docs/worker.md").matchAll(/`([A-Z][A-Z_]+)`/g)].map((match) => match[1]));

let stack;
before(async () => (stack = await startStack("deploy-files", { functions: ["health"], parts: ["gateway", "workerd", "work"] })));
after(() => stack?.destroy());

test("every command and flag in the files of deploy/ exists", () => {
  assert.equal(uses.length, 11);
  for (const { where, command: [name, ...args] } of uses) {
    const page = help(name);
    for (const flag of args.filter((word) => word.startsWith("--"))) assert.match(page, new RegExp(`${flag}\\b`), `${where}: gristmill ${name} ${flag}`);
  }
});

test("every environment variable in the files of deploy/ is read by the command that gets it", () => {
  for (const { where, command: [name], env } of uses) {
    const page = help(name);
    for (const variable of env) {
      assert.ok(new RegExp(`\\[env:\\s+${variable}\\b`).test(page) || name === "work" && documented.has(variable), `${where}: gristmill ${name} does not read ${variable}`);
    }
  }
});

test("every variable that compose.yaml fills in is written by secrets.mjs or has a default", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-secrets-"));
  try {
    const file = path.join(folder, ".env");
    const make = () => spawnSync(process.execPath, [path.join(root, "deploy/compose/secrets.mjs"), file], { encoding: "utf8" });
    assert.equal(make().status, 0);
    const made = fs.readFileSync(file, "utf8");
    assert.equal(fs.statSync(file).mode & 0o777, 0o600);
    const names = made.trim().split("\n").map((line) => line.split("=")[0]);
    const needed = [...read("deploy/compose/compose.yaml").matchAll(/\$\{(\w+)(:-)?/g)].filter((match) => !match[2]).map((match) => match[1]);
    assert.deepEqual(needed.filter((name) => !names.includes(name)), []);
    const again = make();
    assert.equal(again.status, 1);
    assert.match(again.stderr, /exists and stays as it is/);
    assert.equal(fs.readFileSync(file, "utf8"), made);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

test("every platform waits longer for a worker than the worker waits for its jobs", () => {
  const seconds = (value) => Number(String(value).replace(/s$/, ""));
  const worker = kubernetes.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === "gristmill-worker").spec.template.spec;
  const pairs = [
    [compose.services.worker.stop_grace_period, compose.services.worker.environment.WORKER_DRAIN_SECONDS],
    [render.services[0].maxShutdownDelaySeconds, render.services[0].envVars.find(({ key }) => key === "WORKER_DRAIN_SECONDS").value],
    [fly.kill_timeout, fly.env.WORKER_DRAIN_SECONDS],
    [worker.terminationGracePeriodSeconds, worker.containers[0].env.find(({ name }) => name === "WORKER_DRAIN_SECONDS").value],
  ];
  for (const [platform, drain] of pairs) assert.ok(seconds(platform) >= seconds(drain) + 10, `${platform} and ${drain}`);
});

test("render.yaml and fly.toml use only keys of the committed list of known keys", () => {
  const known = new Set(read("tests/deploy/platform_keys.txt").split("\n").filter((line) => line && !line.startsWith("#")));
  const keys = (value, at) => Array.isArray(value) ? value.flatMap((item) => keys(item, `${at}[]`))
    : value !== null && typeof value === "object" ? Object.entries(value).flatMap(([key, item]) => keys(item, at.endsWith(" ") ? at + key : `${at}.${key}`)) : [at];
  const free = (key) => key.replace(/^fly (env|processes)\..+$/, "fly $1.*").replace(/^fly checks\.\w+/, "fly checks.*");
  for (const key of [...keys(render, "render "), ...keys(fly, "fly ")]) assert.ok(known.has(free(key)), `${key} is not on the list of known keys`);
});

test("every metric in the alert rules, the dashboard and the autoscaler is one that a stack shows", async () => {
  const get = async (url, token) => (await fetch(url, { headers: token ? { authorization: `Bearer ${token}` } : {} })).text();
  const pages = (await Promise.all([
    get(`${stack.url}/functions/v1/health/metrics`, stack.secrets.metricsToken), get(`${stack.workUrl}/metrics`), get(`${stack.adminUrl}/metrics`)])).join("\n");
  const shown = new Set([...pages.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) => type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]));
  const used = new Set(queries.flatMap((query) => query.match(/\bgristmill_\w+/g)));
  assert.ok(used.size > 20);
  assert.deepEqual([...used].filter((name) => !shown.has(name)), []);
});

test("the panels of the dashboard have numbers of their own, ask the chosen data source, and do not cover each other", () => {
  const { panels, templating } = dashboard;
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  assert.deepEqual(templating.list.map(({ name }) => name), ["datasource", "queue"]);
  for (const panel of panels.filter(({ type }) => type !== "row")) {
    for (const { datasource } of [panel, ...panel.targets]) assert.equal(datasource.uid, "${datasource}", panel.title);
  }
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => Array.from({ length: w * h }, (_, n) => `${x + n % w},${y + Math.floor(n / w)}`));
  assert.equal(new Set(cells).size, cells.length);
});

test("the rules that alerts and dashboard name are rules of the database", async () => {
  const { rows } = await stack.postgres.query("select rule from mill.alert_rule where enabled");
  const known = rows.map(({ rule }) => rule);
  const named = queries.flatMap((query) => [...query.matchAll(/\brule(?:=|!~)"([^"]+)"/g)].flatMap((match) => match[1].split("|")));
  assert.ok(named.length > 5);
  assert.deepEqual(named.filter((rule) => !known.includes(rule)), []);
});

test("the autoscaler and the alert about workers look at exactly the queues that a container worker serves", async () => {
  const { rows } = await stack.postgres.query("select queue from mill.queue where served_by = 'worker' order by 1");
  const expected = rows.map(({ queue }) => queue).join("|");
  for (const query of [scaled.spec.triggers[0].metadata.query, rules.find(({ alert }) => alert === "GristmillNoWorker").expr]) {
    assert.equal(/queue=~"([^"]+)"/.exec(query)[1], expected);
  }
});

test("every alert names a section of docs/runbook.md that says what to do", () => {
  const anchors = [...read("docs/runbook.md").matchAll(/^#+ (.+)$/gm)].map((match) => `docs/runbook.md#${match[1].toLowerCase().replace(/[^\w -]/g, "").replaceAll(" ", "-")}`);
  for (const { alert, annotations } of rules) assert.ok(annotations.runbook === "docs/runbook.md" || anchors.includes(annotations.runbook), `${alert}: ${annotations.runbook}`);
});
