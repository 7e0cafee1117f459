// The questions that are asked once, when the load is over: did bytes cross tenants, do rows and objects match, does the audit chain
// verify, did anything grow without bound. Each gives a list of sentences, empty when all is well.
import { randomUUID } from "node:crypto";

import { resident } from "../processes.mjs";

const PLACES = {
  job: (id) => `functions/v1/enqueue/${id}`,
  document: (id) => `functions/v1/documents/v1/documents/${id}`,
  export: (id) => `functions/v1/export/v1/exports/${id}`,
  workflow: (id) => `functions/v1/workflows/v1/jobs/${id}`,
};

/** T: what somebody else gets to see of what was acknowledged. Quotes are everybody's. */
export async function crossed(stack, items) {
  const stranger = { authorization: `Bearer ${await stack.token({ role: "authenticated", sub: randomUUID() })}`, apikey: stack.anonKey };
  const seen = [];
  for (const { app, key, id } of items.filter(({ app }) => PLACES[app])) {
    const answer = await fetch(`${stack.url}/${PLACES[app](id)}`, { headers: stranger });
    const text = await answer.text();
    if (answer.status !== 404) seen.push(`${app} ${key} (${id}) answered a stranger with ${answer.status}: ${text.slice(0, 200)}`);
  }
  for (const table of ["job_queue", "documents", "shell_files", "document_pages", "export_jobs", "export_history", "jobs", "job_tasks", "job_artifacts", "active_subscriptions_v2"]) {
    const answer = await fetch(`${stack.url}/rest/v1/${table}?select=*&limit=3`, { headers: stranger });
    const text = await answer.text();
    if (answer.status === 200 && text !== "[]") seen.push(`${table} shows a stranger ${text.slice(0, 200)}`);
  }
  return seen;
}

/** O: rows whose object is missing or has another size, as the service sees storage. */
export async function mismatched(stack, query) {
  const service = { authorization: `Bearer ${stack.serviceKey}`, apikey: stack.serviceKey };
  const rows = await query(`
    select 'document ' || f.id as what, case when f.bucket = 'gristmill' then '' else f.bucket || ':' end || f.storage_path as object, f.file_size_bytes as size
    from public.shell_files f where f.status = 'completed'
    union all select 'export ' || h.id, h.file_path, h.file_size from mill.export_history h
    union all select 'artifact ' || a.id, case when a.bucket = 'gristmill' then '' else a.bucket || ':' end || a.storage_path, a.file_size_bytes from public.job_artifacts a`);
  const wrong = [];
  const look = async () => {
    for (let row; (row = rows.pop());) {
      // An object of another bucket than gristmill is named BUCKET:KEY.
      const place = row.object.includes(":") ? row.object.replace(":", "/") : `gristmill/${row.object}`;
      const answer = await fetch(`${stack.url}/storage/v1/object/${place}`, { headers: service });
      const { byteLength } = await answer.arrayBuffer();
      if (answer.status !== 200) wrong.push(`${row.what}: its object ${place} is answered with ${answer.status}`);
      else if (byteLength !== Number(row.size)) wrong.push(`${row.what}: its object has ${byteLength} bytes instead of ${row.size}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, look));
  return wrong;
}

/** A: what the audit log says about itself. */
export async function unverified(query) {
  const [{ findings }] = await query("select public.verify_audit_log() -> 'findings' as findings");
  return findings.map((one) => JSON.stringify(one));
}

const PARTS = ["gateway", "relay", "storage", "work"];
const LARGEST_MB = 600;

/** B: what must not grow with the number of faults. */
export const outOfBounds = {
  begin: async (stack, query) => ({ connections: await connections(query) }),

  async judge(stack, query, known) {
    const now = await connections(query);
    const memory = Object.fromEntries(PARTS.map((name) => [name, Math.round(resident(stack.parts[name].pid))]));
    const [{ stuck }] = await query("select count(*)::int as stuck from mill.invocation i where i.ended_at is null and i.asked_at < now() - interval '2 minutes'");
    const found = Object.entries(memory).filter(([, mb]) => mb > LARGEST_MB).map(([name, mb]) => `${name} has ${mb} MB`);
    if (now > known.connections + 20) found.push(`there are ${now} connections to Postgres; there were ${known.connections}`);
    if (stuck > 0) found.push(`${stuck} invocations were never ended`);
    return { found, figures: `${known.connections} connections before, ${now} after; ${Object.entries(memory).map(([name, mb]) => `${name} ${mb} MB`).join(", ")}` };
  },
};

async function connections(query) {
  const [{ count }] = await query("select count(*)::int from pg_stat_activity where backend_type = 'client backend'");
  return count;
}
