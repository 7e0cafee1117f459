// What `gristmill dev` and `gristmill test` share: which parts a project's stack has, its SQL, and what a program needs to call it.
import fs from "node:fs";
import path from "node:path";

import { readFunctions, workersOf } from "../stack/wrangler.mjs";
import { Stack } from "../stack/stack.mjs";
import { leaveTerminal, outliveTerminal } from "../stack/terminal.mjs";

// The functions that each application brings beside those that every stack has.
const ALWAYS = ["enqueue", "processor", "health"];
const FUNCTIONS = { documents: ["documents", "usage", "audit"], refresh: ["refresh"], exports: ["export", "cleanup"], workflows: ["workflows"], compat: [] };

/** A mistake of the user's: its message says what to do, and a stack trace would not help. */
export class Refused extends Error {
  isRefusal = true; // the command is in another package, and may have another copy of this class
}

/** The applications that --with names. */
export function applicationsOf(text) {
  const names = text?.split(",").filter(Boolean) ?? [];
  const unknown = names.filter((name) => name !== "all" && !Object.hasOwn(FUNCTIONS, name));
  if (unknown.length > 0) throw new Refused(`there is no application "${unknown[0]}"\n  --with takes: ${Object.keys(FUNCTIONS).join(", ")}, all`);
  return names.includes("all") ? Object.keys(FUNCTIONS) : names;
}

/** The stack of a project, not yet started. */
export function stackOf(name, applications, options) {
  const functions = [...ALWAYS, ...applications.flatMap((application) => FUNCTIONS[application])];
  return new Stack(name, {
    // Applications keep files, and give work to the container worker.
    parts: ["gateway", "relay", ...(applications.length > 0 ? ["storage"] : []), "workerd", ...(applications.length > 0 ? ["work"] : [])],
    applications: applications.length > 0 ? applications : "none",
    functions, realtime: true, ...options,
  });
}

/** Names that a function of the user's cannot have. */
export const namesOfOurs = (stack) => workersOf(readFunctions(stack.functions.join(",")).functions).flatMap(({ names }) => names);

export const sqlFilesOf = (project) => {
  const folder = path.join(project, "sql");
  return fs.existsSync(folder) ? fs.readdirSync(folder).filter((file) => file.endsWith(".sql")).sort().map((file) => path.join(folder, file)) : [];
};

/** Runs the project's SQL, file by file, each in a transaction of its own. */
export async function applySql(stack, project) {
  for (const file of sqlFilesOf(project)) {
    const text = fs.readFileSync(file, "utf8");
    try {
      await stack.postgres.query(text);
    } catch (error) {
      const line = error.position ? `:${text.slice(0, error.position - 1).split("\n").length}` : "";
      throw new Refused([`${path.relative(project, file)}${line}: ${error.message}`, error.detail, error.hint].filter(Boolean).join("\n  "));
    }
  }
}

/**
 * Retries and deferred jobs wait for the pump. It is started with every full minute and makes a round every five seconds: a developer, or a
 * test of a retry, would wait. So here it makes a round every second, and the first minute is not waited for.
 */
export async function hastenPump(stack) {
  await stack.postgres.query("update mill.settings set value = '1' where key = 'pump.interval_seconds'");
  const seconds = 60 - new Date().getSeconds();
  stack.postgres.query(`call mill.pump(${seconds})`).catch(() => {}); // the stack is stopped under it
}

/** Queues of the project's own: their kinds, and the function that serves each. */
export async function queuesOf(stack) {
  const { rows } = await stack.postgres.query(`
    select q.queue, q.served_by, q.function, array_agg(k.kind order by k.kind) filter (where k.kind is not null) as kinds
    from mill.queue q left join mill.kind k using (queue) where q.part is null group by q.queue order by q.queue`);
  return rows;
}

// One made-up user, always the same: what it submits, it sees again.
const USER = "00000000-0000-4000-8000-000000000001";

/** What a program has to know to call the stack; under Supabase's names too, which the libraries and programs made for Supabase read. */
export async function environmentOf(stack) {
  return {
    SUPABASE_URL: stack.url,
    SUPABASE_ANON_KEY: stack.anonKey,
    SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey,
    GRISTMILL_URL: stack.url,
    GRISTMILL_ANON_KEY: stack.anonKey,
    GRISTMILL_SERVICE_KEY: stack.serviceKey,
    GRISTMILL_USER_TOKEN: await stack.token({ role: "authenticated", sub: USER }),
    GRISTMILL_DATABASE_URL: stack.databaseUrl,
    GRISTMILL_CONSOLE_LINK: stack.consoleLink,
  };
}

/** Ends the process in an orderly way: `stop(code)` is called once, for Ctrl-C, for SIGTERM, and when the terminal is closed. */
export function onEnd(stop) {
  let ending = null;
  const end = (code, terminalIsGone = false) => (ending ??= (async () => {
    await stop();
    if (terminalIsGone) leaveTerminal();
    process.exit(code);
  })());
  outliveTerminal();
  for (const [signal, code] of [["SIGHUP", 129], ["SIGINT", 130], ["SIGTERM", 143]]) {
    process.on(signal, () => end(stop.exitCode ?? code, signal === "SIGHUP"));
  }
  // npm starts a command through a shell. SIGTERM to npx ends npx and that shell, and the command hears nothing: the parent is gone.
  const parent = process.ppid;
  if (process.env.npm_command) setInterval(() => process.ppid !== parent && end(stop.exitCode ?? 143), 250).unref();
  return { end, isEnding: () => ending !== null };
}
