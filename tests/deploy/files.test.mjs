// The files of deploy/ and the Dockerfile, held against the checkers of their formats. Each checker is also shown a file with a
// mistake in it: a checker that finds nothing there checks nothing.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, test } from "node:test";

import yaml from "js-yaml";

import { root } from "../../sdk/local/stack/paths.mjs";
import { scratch } from "./containers.mjs";
import { nodeModules, promtool, python } from "./tools.mjs";

const folder = scratch();
after(() => fs.rmSync(folder, { recursive: true, force: true }));
const read = (file) => fs.readFileSync(path.join(root, file), "utf8");

/** A copy of a file with a mistake in it. */
function spoiled(file, from, to) {
  const text = read(file);
  assert.ok(text.includes(from), `${file} has no ${from}`);
  const copy = path.join(folder, path.basename(file));
  fs.writeFileSync(copy, text.replace(from, to));
  return copy;
}

test("hadolint finds nothing in the Dockerfile", async () => {
  const { ok, text } = await python("hadolint", path.join(root, "worker/Dockerfile"));
  assert.ok(ok, text);
  const bad = await python("hadolint", spoiled("worker/Dockerfile", "WORKDIR /var/lib/gristmill", "WORKDIR var/lib/gristmill"));
  assert.match(bad.text, /DL3000/);
});

test("compose.yaml follows the specification of compose", async () => {
  const check = (file) => python("check-jsonschema", "--builtin-schema", "vendor.compose-spec", file);
  const { ok, text } = await check(path.join(root, "deploy/compose/compose.yaml"));
  assert.ok(ok, text);
  assert.equal((await check(spoiled("deploy/compose/compose.yaml", "stop_grace_period:", "stop_grace:"))).ok, false);
});

const manifests = fs.readdirSync(path.join(root, "deploy/kubernetes")).filter((name) => name.endsWith(".yaml"));
const documents = manifests.flatMap((name) => yaml.loadAll(read(`deploy/kubernetes/${name}`)).map((document) => ({ name, document })));

test("each manifest follows the schema of Kubernetes", async () => {
  const check = (file) => python("kubernetes-validate", "-k", "1.30", "--strict", file);
  const known = manifests.filter((name) => documents.some((entry) => entry.name === name && entry.document.kind !== "ScaledObject"));
  assert.ok(known.length >= 2);
  for (const name of known) {
    const { ok, text } = await check(path.join(root, "deploy/kubernetes", name));
    assert.ok(ok, text);
    // A kind that it does not know is only a warning, and none of these may be one.
    const passed = text.match(/passed for resource/g)?.length ?? 0;
    assert.equal(passed, documents.filter((entry) => entry.name === name).length, text);
  }
  assert.equal((await check(spoiled("deploy/kubernetes/worker.yaml", "terminationGracePeriodSeconds", "terminationGraceSeconds"))).ok, false);
});

test("the ScaledObject follows the model of KEDA", async () => {
  const { ScaledObject } = await import(path.join(nodeModules, "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject.js"));
  const scaled = documents.filter(({ document }) => document.kind === "ScaledObject").map(({ document }) => document);
  assert.equal(scaled.length, 1);
  new ScaledObject(scaled[0]).validate();
  assert.throws(() => new ScaledObject({ ...scaled[0], spec: { ...scaled[0].spec, triggers: undefined } }).validate(), /triggers/);
  assert.throws(() => new ScaledObject({ ...scaled[0], spec: { ...scaled[0].spec, maxReplicaCount: "ten" } }).validate(), /maxReplicaCount/);
});

test("promtool accepts the alert rules and the configuration of Prometheus", async () => {
  for (const name of ["rules.yml", "prometheus.yml"]) fs.copyFileSync(path.join(root, "deploy/prometheus", name), path.join(folder, name));
  fs.writeFileSync(path.join(folder, "metrics-token"), "token");
  const { ok, text } = await promtool(["check", "config", "prometheus.yml"], { cwd: folder });
  assert.ok(ok, text);
  assert.match(text, /10 rules found/);
});

test("every alert fires when it should and not before: the unit tests of rules.test.yml", async () => {
  fs.copyFileSync(path.join(root, "deploy/prometheus/rules.yml"), path.join(folder, "rules.yml"));
  fs.copyFileSync(path.join(root, "tests/deploy/rules.test.yml"), path.join(folder, "rules.test.yml"));
  const { ok, text } = await promtool(["test", "rules", "rules.test.yml"], { cwd: folder });
  assert.ok(ok, text);
  const alerts = yaml.load(read("deploy/prometheus/rules.yml")).groups.flatMap((group) => group.rules.map((rule) => rule.alert));
  const tests = yaml.load(read("tests/deploy/rules.test.yml")).tests.flatMap((entry) => entry.alert_rule_test);
  for (const alert of alerts) {
    assert.ok(tests.some((entry) => entry.alertname === alert && entry.exp_alerts.length > 0), `no test makes ${alert} fire`);
  }
  spoiled("deploy/prometheus/rules.yml", 'rule="lease_losses"', 'rule="lease_loss"');
  assert.equal((await promtool(["test", "rules", "rules.test.yml"], { cwd: folder })).ok, false);
});
