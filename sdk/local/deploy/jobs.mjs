// The jobs of the user's own functions: a function that is made with the library says which it runs, and deploying registers them.
import { fork } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

import { definitionIn, describing, refusal, servedBy } from "../project/definition.mjs";
import { register } from "./database.mjs";
import { Refusal } from "./files.mjs";

const PATIENCE = 60_000;

// What the library answers to callers that are not Postgres. Functions without it are never asked: to them the request would be one like any other.
const isOfLibrary = (text) => text.includes("bad_signature") && /\.describe\b/.test(text);

/** What each function that has the library in it says when it is run here, by name: `definition` is null where it says nothing here. */
export async function described(code) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-describe-"));
  try {
    return Object.fromEntries(await Promise.all(Object.entries(code).filter(([, text]) => isOfLibrary(text)).map(async ([name, text]) => {
      const file = path.join(folder, `${name}.mjs`);
      fs.writeFileSync(file, text, { mode: 0o600 });
      return [name, await runHere(file)];
    })));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function runHere(file) {
  return new Promise((resolve) => {
    // With no variables: it is to describe itself, and do nothing.
    const child = fork(fileURLToPath(new URL("describe.mjs", import.meta.url)), [file], { env: {}, execArgv: [], stdio: ["ignore", "ignore", "ignore", "ipc"], timeout: 10_000 });
    child.once("message", resolve);
    child.once("error", () => resolve({ definition: null }));
    child.once("exit", () => resolve({ definition: null }));
  });
}

const kindsOf = ({ kinds }) => kinds.map(({ kind }) => kind).join(", ");
const isChanged = ({ queues, kinds, schedules = [] }) => [...queues, ...kinds, ...schedules].some(({ status }) => status !== "unchanged");

/** What is to be registered, as lines of the checks. The database is asked what it would do, where it knows how. */
export async function checks(local, { databaseUrl, platform }) {
  const lines = [];
  for (const [name, { definition }] of Object.entries(local)) {
    const line = { name: `jobs of functions/${name}`, mend: `gristmill deploy ${platform} registers them`, isOurs: true };
    lines.push(definition ? { ...line, ...await wrongWith(definition, name, databaseUrl) } : { name: `${line.name}: it says them when it is deployed` });
  }
  return lines;
}

async function wrongWith(definition, name, databaseUrl) {
  const wrong = `not registered as the code has them: ${kindsOf(definition)}`;
  if (!databaseUrl) return { wrong };
  try {
    const answer = await register(databaseUrl, servedBy(definition, name), { isTrial: true });
    return answer && !isChanged(answer) ? {} : { wrong };
  } catch (error) {
    return { wrong: "Postgres refuses them", mend: refusal(error).replaceAll("\n", "\n        "), isOurs: false };
  }
}

/**
 * Asks each function for its definition at its address, and registers what it says. One that does not answer is registered as it describes itself here. Gives what is wrong, as lines.
 * `local`: what `described` has found.
 */
export async function registerAll(local, { address, secret, databaseUrl, say, patience = PATIENCE }) {
  const wrong = [];
  for (const [name, { definition: here }] of Object.entries(local)) {
    const { definition = here, problem } = await asked(`${address}/${name}`, secret, here, patience);
    if (problem && here) wrong.push(`functions/${name} ${problem}. Its jobs are registered as its code here has them. Look into its log, and deploy again`);
    // It may use the library for something else.
    if (!definition) say(`functions/${name} ${problem}: no jobs of it are registered. If it serves jobs, look into its log, and deploy again.`);
    if (!definition) continue;
    const answer = await register(databaseUrl, servedBy(definition, name)).catch((error) => {
      throw new Refusal(`the jobs of functions/${name} cannot be registered: ${refusal(error)}`);
    });
    say(`jobs of functions/${name}: ${kindsOf(definition)} ${isChanged(answer) ? "registered" : "unchanged"}`);
    if (answer.kept.length > 0) say(`  kept as an operator has set them: ${answer.kept.map(kept).join("; ")}`);
  }
  return wrong;
}

const kept = ({ queue, kind, field, value, asked }) =>
  `${field} of the ${queue ? `queue ${queue}` : `kind ${kind}`} is ${JSON.stringify(value)}, where the code has ${JSON.stringify(asked)}`;

/**
 * A function needs some seconds until its newest code answers everywhere: it is asked until it says the same as here. What it says in the end counts, because
 * it may have been given what is not known here.
 */
async function asked(url, secret, here, patience) {
  const begun = Date.now();
  for (;;) {
    const answer = await ask(url, secret);
    const waited = Date.now() - begun;
    if (answer.definition ? !here || isDeepStrictEqual(answer.definition, here) || waited > patience / 4 : waited > (here ? patience : patience / 4)) return answer;
    await sleep(Math.min(1_000, patience / 10));
  }
}

async function ask(url, secret) {
  try {
    const answer = await fetch(url, { ...describing(secret), signal: AbortSignal.timeout(10_000) });
    const { detail } = answer.ok ? {} : await answer.clone().json().catch(() => ({}));
    const definition = await definitionIn(answer);
    return definition ? { definition } : { problem: answer.ok ? "does not say which jobs it runs" : `answers ${answer.status}${detail ? ` (${detail})` : ""}` };
  } catch (error) {
    return { problem: `does not answer (${error.cause?.code ?? error.message})` };
  }
}
