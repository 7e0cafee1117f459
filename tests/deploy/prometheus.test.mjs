// A real Prometheus scrapes a real stack, evaluates the alert rules, and answers every query of the dashboard and of the autoscaler.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import yaml from "js-yaml";

import { Part } from "../../sdk/local/stack/part.mjs";
import { root } from "../../sdk/local/stack/paths.mjs";
import { freePorts } from "../../sdk/local/stack/ports.mjs";
import { signIn, startStack, until } from "../support.mjs";
import { scratch } from "./containers.mjs";
import { prometheus, promtool } from "./tools.mjs";

const folder = scratch();
let stack, server, url;
const sql = (text) => stack.postgres.query(text);

before(async () => {
  stack = await startStack("prometheus", { parts: ["gateway", "relay", "workerd", "storage", "work"], functions: ["health", "enqueue", "processor"] });
  await makeHistory();
  const [port] = await freePorts(1);
  url = `http://127.0.0.1:${port}`;
  fs.copyFileSync(path.join(root, "deploy/prometheus/rules.yml"), path.join(folder, "rules.yml"));
  fs.writeFileSync(path.join(folder, "metrics-token"), stack.secrets.metricsToken);
  // The shipped configuration, with this stack's addresses and a shorter interval.
  const config = yaml.load(fs.readFileSync(path.join(root, "deploy/prometheus/prometheus.yml"), "utf8"));
  config.global = { scrape_interval: "1s", evaluation_interval: "1s" };
  const targets = { gristmill: stack.url, "gristmill-worker": stack.workUrl, "gristmill-gateway": stack.adminUrl };
  for (const job of config.scrape_configs) {
    job.static_configs[0].targets = [new URL(targets[job.job_name]).host];
    if (job.scheme) job.scheme = "http";
  }
  fs.writeFileSync(path.join(folder, "prometheus.yml"), yaml.dump(config));
  server = new Part("prometheus", {
    command: prometheus,
    args: [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`, "--log.level=warn"],
    logDir: folder, isReady: () => fetch(`${url}/-/ready`).then((answer) => answer.ok, () => false),
  });
  await server.start();
});
after(async () => {
  await server?.stop();
  await stack?.destroy();
  fs.rmSync(folder, { recursive: true, force: true });
});

// What every objective needs to have a value: jobs that ended, calls that were refused, documents.
async function makeHistory() {
  const user = await signIn(stack);
  const { status } = await user.submit({ kind: "echo", payload: { a: 1 } });
  assert.ok(status < 300, `enqueue answers ${status}`);
  // Also in the minutes to come: one of the metrics is about the last whole minute.
  await sql(`insert into mill.stat_minute (minute, queue, kind, outcome, bucket, jobs, total_ms, bytes)
    select date_trunc('minute', now()) + make_interval(mins => o.minute), 'default', 'echo', o.outcome, 5, o.jobs, 1000, 0
    from (values (-5, 'completed', 946), (-5, 'dead', 2), (-5, 'lost', 2), (-1, 'completed', 10), (0, 'completed', 10), (1, 'completed', 10),
      (2, 'completed', 10), (3, 'completed', 10)) o(minute, outcome, jobs)`);
  await sql("insert into mill.api_use (at, tokens, requests, provider, endpoint) values (now(), 0, 150, 'openai', 'gpt-4o-mini')");
  await sql("select public.report_api_rate_limit('openai', 'gpt-4o-mini', 1)");
  await sql(`with profile as (insert into public.user_profiles (user_id) values (gen_random_uuid()) returning id),
    document as (select gen_random_uuid() as id, gen_random_uuid() as job, profile.id as patient from profile, generate_series(1, 20)),
    job as (insert into mill.job (id, queue, kind, state, payload, run_at, created_at, finished_at, max_attempts)
      select job, 'fast', 'fast_queue_spatial', 'completed', '{}', now() - interval '10 minutes', now() - interval '10 minutes', now() - interval '9 minutes', 7 from document)
    insert into public.shell_files (id, patient_id, filename, mime_type, storage_path, status, stage, stage_jobs, created_at, updated_at, uploaded_at, completed_at)
    select id, patient, 'a.pdf', 'application/pdf', id::text, 'completed', 'pass3', jsonb_build_object('spatial', job),
      now(), now(), now() - interval '10 minutes', now() - interval '5 minutes' from document`);
}

async function query(expr) {
  const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expr })}`);
  const { status, error, data } = await answer.json();
  assert.equal(status, "success", `${expr}: ${error}`);
  return data.result;
}

test("Prometheus scrapes health, worker and gateway, and promtool finds no fault in the metrics of health", async () => {
  await until(async () => (await query("min_over_time(up[3s]) == 1 and count_over_time(up[5s]) > 2")).length === 3, "three targets being up");
  const headers = { authorization: `Bearer ${stack.secrets.metricsToken}` };
  const page = await (await fetch(`${stack.url}/functions/v1/health/metrics`, { headers })).text();
  const { text } = await promtool(["check", "metrics"], { input: page });
  // A gauge with the label quantile has been documented since 0.1.0: it is not renamed for the sake of a convention.
  const faults = new Set(text.split("\n").filter((line) => line !== "" && line !== 'gristmill_queue_attempt_seconds non-summary metrics should not have "quantile" label'));
  assert.deepEqual([...faults], []);
});

test("each objective has a value and a threshold", async () => {
  const value = async (rule) => Number((await query(`max(gristmill_rule_value{rule="${rule}"})`))[0]?.value[1]);
  const threshold = async (rule) => Number((await query(`max(gristmill_rule_threshold{rule="${rule}"})`))[0]?.value[1]);
  assert.equal(await value("fast_stages_slow"), 60);
  assert.equal(await threshold("fast_stages_slow"), 120);
  assert.equal(await value("ai_passes_slow"), 240);
  assert.equal(await threshold("ai_passes_slow"), 600);
  assert.ok(Math.abs(await value("jobs_not_completed") - 0.2) < 0.01);
  assert.equal(await threshold("jobs_not_completed"), 1);
  assert.ok(Math.abs(await value("rate_limit_violations") - 100 / 150) < 0.01);
  assert.equal(await threshold("rate_limit_violations"), 1.0001);
  assert.ok(Math.abs(await value("lease_losses") - 0.2) < 0.01);
  assert.equal(await threshold("lease_losses"), 0.1);
});

test("every query of the dashboard has an answer", async (t) => {
  const dashboard = JSON.parse(fs.readFileSync(path.join(root, "deploy/grafana/dashboard.json"), "utf8"));
  const queries = dashboard.panels.flatMap((panel) => (panel.targets ?? []).map(({ expr }) => ({ title: panel.title, expr })));
  assert.ok(queries.length > 20);
  for (const { title, expr } of queries) {
    const filled = expr.replaceAll("$__rate_interval", "10s").replaceAll("$queue", ".*");
    assert.ok(!filled.includes("$"), `${title} has a variable that the dashboard does not declare: ${filled}`);
    await until(async () => (await query(filled)).length > 0, `an answer to "${title}": ${filled}`, 20_000);
  }
  t.diagnostic(`${queries.length} queries`);
});

test("the query of the autoscaler has exactly one value: the workers that the queues of the container worker want", async () => {
  const scaled = yaml.load(fs.readFileSync(path.join(root, "deploy/kubernetes/scaledobject.yaml"), "utf8"));
  const [{ metadata }] = scaled.spec.triggers;
  await sql("update mill.queue set paused = true");
  await sql(`select mill.enqueue((select jsonb_agg('{"kind": "document_sweep", "payload": {"a": 1}}'::jsonb) from generate_series(1, 240)))`);
  // A queue that has finished nothing is taken to need a second per job, and has a minute: 240 jobs want four workers.
  await until(async () => {
    const result = await query(metadata.query);
    return result.length === 1 && Number(result[0].value[1]) === 4;
  }, "four workers being wanted", 30_000);
});

test("Prometheus evaluates every alert rule without an error, and the missed objective is pending", async () => {
  const rules = await until(async () => {
    const { data } = await (await fetch(`${url}/api/v1/rules`)).json();
    const all = data.groups.flatMap((group) => group.rules);
    return all.length > 0 && all.every((rule) => rule.health === "ok") && all;
  }, "every rule being evaluated");
  assert.equal(rules.length, 10);
  const states = Object.fromEntries(rules.map((rule) => [rule.name, rule.state]));
  assert.equal(states.GristmillHeartbeatsLost, "pending");
  assert.equal(states.GristmillFastStagesSlow, "inactive");
  assert.equal(states.GristmillJobsNotCompleted, "inactive");
  assert.equal(states.GristmillMetricsMissing, "inactive");
});
