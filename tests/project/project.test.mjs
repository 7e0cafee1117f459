// A user's project with `gristmill dev` and `gristmill test`, run from the checkout. tests/release does the same from the release files.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { parseEnv } from "node:util";

import { root } from "../../sdk/local/stack/paths.mjs";
import { isAlive, isSoak, until } from "../support.mjs";
import { bin, edit, emptyFolder, installFromCheckout, recorded, run, start } from "./harness.mjs";

const JOB = "functions/greet/index.ts";
let folder, project, job, jobs;
before(async () => {
  folder = emptyFolder();
  project = path.join(folder, "my-jobs");
  assert.equal((await run(process.execPath, [bin, "init", "my-jobs"], { cwd: folder })).code, 0);
  job = fs.readFileSync(path.join(project, JOB), "utf8");
  jobs = fs.readFileSync(path.join(project, "functions/greet/job.ts"), "utf8");
  fs.mkdirSync(path.join(project, "sql"));
  fs.writeFileSync(path.join(project, "sql/words.sql"), "-- A table of the project's own.\ncreate table if not exists public.words (word text primary key);\n");
  installFromCheckout(project);
});
beforeEach(() => {
  fs.writeFileSync(path.join(project, JOB), job);
  fs.writeFileSync(path.join(project, "functions/greet/job.ts"), jobs);
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

const env = { ...process.env, GRISTMILL_STATE: undefined, NO_COLOR: "1" };
const gristmill = (...args) => start(process.execPath, [bin, ...args], { cwd: project, env });
const submit = async (name) => (await run(process.execPath, ["--env-file=.gristmill/dev.env", "submit.mjs", name], { cwd: project, env })).output;
const variables = () => parseEnv(fs.readFileSync(path.join(project, ".gristmill/dev.env"), "utf8"));
async function rpc(name, values) {
  const { GRISTMILL_URL, GRISTMILL_SERVICE_KEY } = variables();
  const answer = await fetch(`${GRISTMILL_URL}/rest/v1/rpc/${name}`, { method: "POST", body: JSON.stringify(values),
    headers: { authorization: `Bearer ${GRISTMILL_SERVICE_KEY}`, "content-type": "application/json" } });
  return answer.json();
}
async function result(kind, payload, of = "result") {
  const { id } = await rpc("submit_job", { p_kind: kind, p_payload: payload });
  return until(async () => (await rpc("get_job", { p_id: id }))[of], `a ${of} of ${kind}`);
}

test("run without a running stack says how to start it", async () => {
  const { code, output } = await run(process.execPath, [bin, "run", "submit.mjs"], { cwd: project, env: { ...env, GRISTMILL_URL: undefined, SUPABASE_URL: undefined } });
  assert.equal(code, 1);
  assert.match(output, /^gristmill run: the stack of this project is not running\n {2}start it in another terminal with: npx gristmill dev\n$/);
});

test("dev runs the project's job; a change that compiles is in the next job, one that does not is shown and the older code goes on", async () => {
  const dev = gristmill("dev");
  try {
    await dev.says("Ctrl-C stops everything");
    assert.match(dev.output, /greet +in the queue greetings → functions\/greet/);
    assert.match(dev.output, /npm run submit/);
    const { pids, url } = recorded(project);
    assert.match(await submit("Ada"), /is completed: \{ greeting: 'Hello, Ada!' \}/);

    edit(project, JOB, "Hello, ", "Good evening, ");
    await dev.says("reloaded greet");
    assert.deepEqual(await result("greet", { name: "Ada" }), { greeting: "Good evening, Ada!" });

    edit(project, "functions/greet/job.ts", 'name: { type: "string" }', 'name: { type: "string", maxLength: 9 }');
    await until(async () => (await rpc("submit_job", { p_kind: "greet", p_payload: { name: "longer than nine" } })).code === "GM011", "the new schema in Postgres");

    await result("greet", { name: "" }, "error");
    await dev.says("attempt 1 of 5: Dead: a greeting needs a name");
    await dev.says("at functions/greet/index.ts:10:"); // not a place in what workerd runs

    edit(project, JOB, "return dead(", "return return dead(");
    await dev.says("functions/greet does not compile; its older code goes on");
    assert.match(dev.output, /functions\/greet\/index\.ts:10:/);
    assert.deepEqual(await result("greet", { name: "Ada" }), { greeting: "Good evening, Ada!" });

    edit(project, JOB, "return return dead(", "return dead(");
    fs.appendFileSync(path.join(project, JOB), 'throw new Error("at the top");\n');
    await dev.says("functions/greet fails while it is loaded; its older code goes on");
    assert.deepEqual(await result("greet", { name: "Ada" }), { greeting: "Good evening, Ada!" });

    fs.writeFileSync(path.join(project, "program.ts"), "const sum: number = process.argv.length;\nconsole.log(sum, process.argv[2], process.env.GRISTMILL_URL === process.env.SUPABASE_URL, process.env.SUPABASE_URL);\nprocess.exitCode = 3;\n");
    const program = await run(process.execPath, [bin, "run", "program.ts", "--help"], { cwd: project, env });
    assert.deepEqual(program, { code: 3, output: `3 --help true ${url}\n` });
    fs.writeFileSync(path.join(project, "program.ts"), "const a = ;\n");
    const broken = await run(process.execPath, [bin, "run", "program.ts"], { cwd: project, env });
    assert.equal(broken.code, 1);
    assert.match(broken.output, /^gristmill run: program\.ts does not compile\n[\s\S]*program\.ts:1:/);
    assert.deepEqual(fs.readdirSync(path.join(project, ".gristmill")).filter((name) => name.startsWith("run")), []);

    assert.deepEqual(await result("echo", { a: 1 }), { echo: { a: 1 } }); // by the processor, which is not the project's
    assert.equal((await fetch(`${url}/functions/v1/greet`, { method: "POST", body: "{}" })).status, 403);

    const { output: exported } = await run(process.execPath, [bin, "dev", "--env"], { cwd: project, env });
    assert.match(exported, new RegExp(`^export GRISTMILL_URL='${url}'$`, "m"));
    const second = gristmill("dev");
    assert.equal(await second.ended, 1);
    assert.match(second.output, /already running \(process \d+\)/);

    assert.match(dev.output, /those of functions\/greet are registered/);
    edit(project, "sql/words.sql", "create table", "createe table");
    await dev.says('error: sql/words.sql:2: syntax error at or near "createe"');
    edit(project, "sql/words.sql", "createe table", "create table");
    await dev.says("ran 1 file again");

    dev.child.kill("SIGTERM");
    assert.equal(await dev.ended, 0, dev.output);
    assert.deepEqual(Object.entries(pids).filter(([, pid]) => isAlive(pid)), []);
    assert.ok(!fs.existsSync(path.join(project, ".gristmill/dev.env")), "keys of a stack that has ended are left behind");
  } finally {
    dev.child.kill("SIGTERM");
    await dev.ended;
  }
});

if (isSoak) {
  test("dev that was killed leaves parts behind, which the next start ends; its data and its address are there again", async () => {
    const dev = gristmill("dev");
    await dev.says("Ctrl-C stops everything");
    const before = recorded(project);
    const [id] = (await submit("Grace")).split(" ");
    dev.child.kill("SIGKILL");
    await dev.ended;

    const next = gristmill("dev");
    try {
      await next.says("Ctrl-C stops everything");
      assert.deepEqual(Object.values(before.pids).filter(isAlive), []);
      assert.equal(recorded(project).url, before.url);
      assert.deepEqual((await rpc("get_job", { p_id: id })).result, { greeting: "Hello, Grace!" });
    } finally {
      next.child.kill("SIGINT");
      assert.equal(await next.ended, 0, next.output);
    }
  });

  test("of two starts at the same moment one is refused, and the other is not disturbed", async () => {
    const both = [gristmill("dev"), gristmill("dev")];
    try {
      await until(() => both.some((dev) => dev.over) && both.some((dev) => dev.output.includes("Ctrl-C stops everything")), "one start and one refusal");
      const [refused] = both.filter((dev) => dev.over);
      assert.match(refused.output, /^gristmill dev: the stack of this project is already running/);
      assert.deepEqual(await result("greet", { name: "Ada" }), { greeting: "Hello, Ada!" });
    } finally {
      for (const dev of both) dev.child.kill();
      await Promise.all(both.map((dev) => dev.ended));
    }
  });

  test("in dev an attempt that failed is made again after its delay, and does not wait for the next full minute", async () => {
    edit(project, JOB, "{ payload, log }", "{ payload, log, job }");
    edit(project, JOB, "return {", "if (job.attempt < 3) throw new Error(`attempt ${job.attempt}`);\n  return {");
    const dev = gristmill("dev");
    try {
      await dev.says("Ctrl-C stops everything");
      const begun = Date.now();
      assert.deepEqual(await result("greet", { name: "Ada" }), { greeting: "Hello, Ada!" });
      assert.ok(Date.now() - begun < 20_000, `three attempts took ${Date.now() - begun} ms`); // delays of at most 2 and 4 s
    } finally {
      dev.child.kill();
      await dev.ended;
    }
  });

  test("test --watch runs the tests again when a function or a test has changed", async () => {
    const tests = gristmill("test", "--watch");
    try {
      await tests.says("waiting for a change");
      assert.match(tests.output, /pass 3/);
      edit(project, JOB, "Hello, ", "Good evening, ");
      await until(() => /a function has changed[\s\S]*fail 1[\s\S]*waiting for a change/.test(tests.output), "a second run");
      edit(project, "test/greet.test.ts", "Hello, ", "Good evening, ");
      await until(() => /test\/greet\.test\.ts has changed[\s\S]*pass 3[\s\S]*waiting for a change/.test(tests.output), "a third run");
    } finally {
      edit(project, "test/greet.test.ts", "Good evening, ", "Hello, ");
      tests.child.kill("SIGINT");
      assert.equal(await tests.ended, 130);
    }
    assert.deepEqual(fs.readdirSync(path.join(project, ".gristmill")).filter((name) => name.startsWith("test")), []);
  });

  test("dev serves a function that is added, gives functions the variables of .env, and warns of a queue whose function is not there", async () => {
    fs.writeFileSync(path.join(project, "sql/missing.sql"),
      "insert into mill.queue (queue, served_by, function) values ('lonely', 'function', 'missing') on conflict do nothing;\n");
    const dev = gristmill("dev", "--fresh");
    try {
      await dev.says("Ctrl-C stops everything");
      assert.match(dev.output, /warning: the queue lonely names the function "missing", but there is no functions\/missing\/index\.ts/);
      const { GRISTMILL_URL } = variables();
      const call = async () => (await fetch(`${GRISTMILL_URL}/functions/v1/missing`)).text();
      fs.mkdirSync(path.join(project, "functions/missing"));
      fs.writeFileSync(path.join(project, "functions/missing/index.ts"), "export default { fetch: (_: Request, env: any) => new Response(env.WORD ?? 'no word') };\n");
      await dev.says("reloaded missing");
      assert.equal(await call(), "no word");
      fs.writeFileSync(path.join(project, ".env"), "WORD=hello\n");
      await dev.says("reloaded all, with the new .env");
      assert.equal(await call(), "hello");
      fs.rmSync(path.join(project, "functions/missing"), { recursive: true });
      await until(async () => /There is no function of this name/.test(await call()), "the function being gone");
      assert.deepEqual(await result("greet", { name: "Ada" }), { greeting: "Hello, Ada!" });
    } finally {
      dev.child.kill();
      await dev.ended;
    }
  });
}

test("test runs the project's tests on a stack of its own, has their exit code, and leaves nothing behind", async () => {
  edit(project, JOB, "Hello, ", "Good evening, ");
  const { code, output } = await run(process.execPath, [bin, "test"], { cwd: project, env });
  assert.equal(code, 1, output);
  assert.match(output, /✔ a greeting without a name is not tried twice[\s\S]*pass 2\n/);
  assert.match(output, /\+ {3}greeting: 'Good evening, Ada!'/);
  assert.match(output, /What the functions wrote[\s\S]*a greeting needs a name/);
  assert.deepEqual(fs.readdirSync(path.join(project, ".gristmill")).filter((name) => name.startsWith("test")), []);
});

test("test ends before it starts a stack when a function does not compile", async () => {
  edit(project, JOB, "return dead(", "return return dead(");
  const { code, output } = await run(process.execPath, [bin, "test"], { cwd: project, env });
  assert.equal(code, 1);
  assert.match(output, /^error: functions\/greet does not compile\n/);
});
