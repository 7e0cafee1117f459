// What each function has to be deployed with. This is the one list: `gristmill deploy` writes the platforms' files from it, docs/deploy.md shows it,
// and tests/house/bindings.test.mjs compares it with what the code of the functions reads.

/**
 * By function:
 *   application  what `gristmill migrate --with` installs for it; "engine" is always there
 *   names        further names by which programs of older systems call it (docs/compat.md)
 *   secrets      what it cannot do its work without
 *   files        it reads or writes stored files: it also gets what the store needs, see STORES
 *   optional     vars and secrets that change what it does; it works without them
 *   crons        the schedules of mill.schedule that it runs where Postgres has no cron
 *   verify_jwt   whether Supabase checks the token before the function runs. Never: the check does not know Supabase's signing keys and publishable keys, and
 *                refuses tickets of EventSource, signatures of Postgres and monitors. Each function checks its callers itself.
 */
export const FUNCTIONS = {
  // The service key fetches the wake-up of a job, after the answer (docs/protocol.md). Without it the function works, and pg_net alone starts jobs.
  enqueue: { application: "engine", secrets: ["SUPABASE_ANON_KEY", "SUPABASE_SERVICE_ROLE_KEY"], verify_jwt: false },
  processor: {
    application: "engine", names: ["queue-processor"], secrets: ["SUPABASE_SERVICE_ROLE_KEY", "INVOKE_SECRET", "ALERT_WEBHOOK_SECRET"],
    optional: { vars: ["FMP_BASE_URL", "ALLOW_PRIVATE_PROVIDERS", "REFRESH_SCHEMA"], secrets: ["FMP_API_KEY"] },
    crons: ["* * * * *", "*/5 * * * *", "17 * * * *", "41 * * * *"], verify_jwt: false,
  },
  health: { application: "engine", names: ["health-check"], secrets: ["SUPABASE_SERVICE_ROLE_KEY", "HEALTH_TOKEN", "METRICS_TOKEN"], verify_jwt: false },
  cleanup: {
    application: "engine", names: ["cleanup-exports"], secrets: ["SUPABASE_SERVICE_ROLE_KEY", "INVOKE_SECRET"], files: true,
    crons: ["*/10 * * * *"], verify_jwt: false,
  },
  audit: { application: "engine", names: ["audit-logger-v3"], secrets: ["SUPABASE_ANON_KEY"], verify_jwt: false },
  documents: {
    application: "documents", names: ["upload", "shell-file-processor-v3"], secrets: ["SUPABASE_ANON_KEY"], files: true,
    optional: { vars: ["UPLOAD_MAX_BYTES", "SSE_SECONDS", "DOCUMENTS_SCHEMA"] }, verify_jwt: false,
  },
  usage: { application: "documents", secrets: ["SUPABASE_ANON_KEY"], optional: { vars: ["DOCUMENTS_SCHEMA"] }, verify_jwt: false },
  export: {
    // The service key signs links for a stream that was opened with a ticket. R2's links need none.
    application: "exports", secrets: ["SUPABASE_ANON_KEY"], files: { supabase: ["SUPABASE_SERVICE_ROLE_KEY"] },
    optional: { vars: ["SSE_SECONDS", "EXPORTS_SCHEMA"] }, verify_jwt: false,
  },
  refresh: {
    application: "refresh", names: ["refresh-analytics-from-presence-v2"], secrets: ["SUPABASE_ANON_KEY"],
    optional: { vars: ["SSE_SECONDS", "REFRESH_SCHEMA"] }, verify_jwt: false,
  },
  workflows: {
    application: "workflows", names: ["jobs"], secrets: ["SUPABASE_ANON_KEY"], files: true,
    optional: { vars: ["SSE_SECONDS", "WORKFLOWS_SCHEMA"] }, verify_jwt: false,
  },
};

/** What every function has. Without CORS_ORIGINS only pages of the deployment's own origin may call. */
export const COMMON = { vars: ["SUPABASE_URL"], optional: { vars: ["CORS_ORIGINS"] } };

/** What a function that has to do with files gets beside its own. */
export const STORES = {
  r2: { vars: ["STORAGE", "FILES_URL"], secrets: ["FILES_SECRET"], bucket: "FILES" },
  supabase: { vars: ["STORAGE"], secrets: [] },
};

/** Paths that clients of older systems call at the root of the address, and the names that have them. The gateway knows the same (route.rs). */
export const OLDER_PATHS = { "/api/v1/export": "export", "/api/jobs": "jobs" };

/**
 * The console's page, on Cloudflare where it is asked for (--console yes): a worker without variables and secrets, because the page calls the RPCs with the
 * operator's token. Supabase serves no HTML from functions.
 */
export const CONSOLE = "console";
export const CONSOLE_BINDINGS = { vars: [], secrets: [], bucket: null, optional: { vars: [], secrets: [] }, crons: [] };

/** The container worker: what it is given in each store. */
export const WORKER = { vars: ["SUPABASE_URL", "STORAGE"], secrets: ["SUPABASE_SERVICE_ROLE_KEY"], r2: { vars: ["FILES_URL"], secrets: ["FILES_SECRET"] } };

/** Secrets that are made here, and how; all others come from the platform or from the user. */
export const GENERATED = {
  INVOKE_SECRET: "webhook", ALERT_WEBHOOK_SECRET: "webhook", HEALTH_TOKEN: "token", METRICS_TOKEN: "token", FILES_SECRET: "token",
};

/** What Supabase gives each function by itself. It refuses secrets whose names begin with SUPABASE_. */
export const PROVIDED_BY_SUPABASE = ["SUPABASE_URL", "SUPABASE_ANON_KEY", "SUPABASE_SERVICE_ROLE_KEY", "SUPABASE_DB_URL"];

export const APPLICATIONS = ["documents", "refresh", "exports", "workflows", "compat"];

/** The functions of the engine and of these applications. */
export const functionsOf = (applications) =>
  Object.keys(FUNCTIONS).filter((name) => ["engine", ...applications].includes(FUNCTIONS[name].application));

/** Everything that one function is deployed with in a store: exactly this, and of the optional what is there. */
export function bindingsOf(name, storage) {
  const { secrets, files, optional = {}, crons = [] } = FUNCTIONS[name];
  const store = files ? STORES[storage] : { vars: [], secrets: [] };
  return {
    vars: [...COMMON.vars, ...store.vars],
    secrets: [...secrets, ...store.secrets, ...(files?.[storage] ?? [])],
    bucket: store.bucket ?? null,
    optional: { vars: [...COMMON.optional.vars, ...(optional.vars ?? [])], secrets: optional.secrets ?? [] },
    crons,
  };
}

/** The table of docs/deploy.md. */
export function table() {
  const code = (names) => names.map((name) => `\`${name}\``).join(", ");
  const rows = Object.entries(FUNCTIONS).map(([name, { application, names = [], secrets, files, optional = {} }]) => {
    const more = files ? ["files", ...(files.supabase ? [`with Supabase Storage also ${code(files.supabase)}`] : [])].join("; ") : "";
    return `| \`${name}\` | ${application} | ${code(names)} | ${code(secrets)} | ${more} | ${code([...(optional.vars ?? []), ...(optional.secrets ?? [])])} |`;
  });
  return ["| function | part | further names | secrets | files | optional |", "| --- | --- | --- | --- | --- | --- |", ...rows].join("\n");
}
