// Takes the pictures of docs/console.md anew: node tests/console/pictures.mjs. It starts a stack of its own with every application, has the demonstrations
// of ./scripts/dev run on it, adds what they do not make (dead letters, watchers, months of usage), and visits every screen.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { demonstrate } from "../../scripts/lib/demo/index.mjs";
import { root } from "../../sdk/local/stack/paths.mjs";
import { addDead, addJob, startConsole } from "./support.mjs";

const FOLDER = path.join(root, "docs/images");

/** What the demonstrations leave out, so that every screen has something to show. */
export async function fill(console) {
  const registered = await console.call("service", "register_jobs", { p_definition: {
    queues: [{ queue: "mail", served_by: "external", description: "Mail to customers" }, { queue: "crm", served_by: "external", description: "Contacts and deals" }],
    kinds: [{ kind: "send_email", queue: "mail", description: "One mail from a template" }, { kind: "sync_contact", queue: "crm", description: "One contact to the CRM" }],
    schedules: [{ schedule: "weekly-digest", kind: "send_email", payload: { template: "digest" }, cron: "30 7 * * mon", time_zone: "Europe/Paris" }] } });
  if (registered.status !== 200) throw new Error(JSON.stringify(registered.json));
  const errors = [["timeout", "no answer from smtp.example.com within 30 s"], ["http", "503 from https://api.example.com/v1/send"], ["invalid", "the address \"nobody@\" has no domain"]];
  for (let n = 0; n < 18; n++) {
    const [type, message] = errors[n % 3];
    await addDead(console, { queue: "mail", kind: "send_email", payload: { user_id: 40 + n, template: "welcome" }, name: `welcome mail ${n}`, error: { type, message: message.replace("30", String(20 + n)) } });
  }
  for (const [queue, kind, payload] of [["mail", "send_email", { template: "invoice" }], ["crm", "sync_contact", { source: "form" }]]) {
    for (let n = 0; n < 40; n++) await addJob(console, { kind, payload: { ...payload, n } });
    const claimed = (await console.call("service", "claim_jobs", { p_worker: `${queue}-1`, p_queues: [queue], p_max: 28 })).json;
    await console.call("service", "settle_jobs", { p_worker: `${queue}-1`, p_outcomes: claimed.slice(0, 24).map(({ id, attempt }, n) => ({ id, attempt, ...(n % 12 === 5 ? { outcome: "failed", error: { type: "http", message: "503 from the provider" } } : { outcome: "completed", result: { sent: true } }) })) });
  }
  // An hour as it would have been, for the charts.
  await console.stack.postgres.query(`
    insert into mill.stat_minute (minute, queue, kind, outcome, bucket, jobs, total_ms, bytes)
      select date_trunc('minute', now()) - m * interval '1 minute', q.queue, q.kind, o, 3, case o when 'completed' then q.rate + (m * q.step) % q.rate else (m % 17 = 5)::int * 3 end, 4000, 1000
      from generate_series(2, 59) m cross join (values ('mail', 'send_email', 40, 7), ('crm', 'sync_contact', 18, 5), ('default', 'echo', 9, 2)) q(queue, kind, rate, step)
      cross join unnest(array['completed', 'failed']) o
      where o = 'completed' or m % 17 = 5 on conflict do nothing`);
  await console.stack.postgres.query(`
    insert into public.user_profiles (id, user_id, plan)
      select gen_random_uuid(), gen_random_uuid(), (array['free', 'basic', 'premium'])[1 + n % 3] from generate_series(1, 14) n;
    insert into mill.usage_of_month (profile_id, month, files_uploaded, pages, ai_tokens, ai_calls, updated_at)
      select p.id, (date_trunc('month', now() at time zone 'utc') - m * interval '1 month')::date, 3 + (n * 7 + m) % 9, 20 + (n * 13 + m * 5) % 60 * (12 - m) / 6, (n * 3877 + m * 911) % 60000, (n * 5 + m) % 60, now()
      from (select p.id, row_number() over (order by p.id) as n from public.user_profiles p) p, generate_series(0, 10) m on conflict do nothing;
    insert into public.supported_symbols (symbol) values ('MSFT'), ('NVDA'), ('TSLA') on conflict do nothing;
    insert into public.active_subscriptions_v2 (user_id, symbol, data_type)
      select gen_random_uuid(), s.symbol, r.data_type from public.supported_symbols s cross join public.data_type_registry r cross join generate_series(1, 3);
    insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes)
      select now() - n * interval '1 minute', 'fmp', r.data_type, 2 + (n * 7) % 9, r.estimated_data_size_bytes * (2 + (n * 7) % 9) from generate_series(0, 59) n, public.data_type_registry r
      union all select now() - n * interval '1 day', 'fmp', r.data_type, 900, 22000000 from generate_series(1, 29) n, public.data_type_registry r`);
}

async function one(console, query) {
  return (await console.stack.postgres.query(query)).rows[0]?.id;
}

/** The screens: the name of the picture, the address, and what has to be there before it is taken. */
async function screens(console) {
  const document = await one(console, "select id from public.shell_files where mime_type = 'image/png' order by original_filename desc limit 1");
  if (document) await console.call("admin", "console_reveal_document", { p_id: document, p_reason: "a user asks about the report" });
  const dead = await one(console, "select id from mill.job_dead order by id desc limit 1");
  const workflow = await one(console, "select parent as id from mill.job where parent is not null order by id desc limit 1");
  return [["overview", "/overview"], ["jobs", "/jobs?q=kind:send_email column:payload.template"], ["job", `/job/${dead}`], ["queue", "/queue/mail"], ["dead", "/dead"], ["workflows", "/workflows"],
    workflow && ["workflow", `/workflow/${workflow}`], ["schedules", "/schedules"], ["health", "/health"], ["audit", "/audit"], ["documents", "/documents"],
    document && ["document", `/document/${document}`], ["refresh", "/refresh"], ["exports", "/exports"], ["usage", "/usage"]].filter(Boolean);
}

/** Takes every picture, in light; the overview and the document in the dark and on a phone as well. */
export async function takePictures(console, folder = FOLDER, options = {}) {
  fs.mkdirSync(folder, { recursive: true });
  const take = async (name, at, how = {}) => {
    const page = await console.open({ at, size: how.phone ? undefined : { width: 1280, height: 860 }, ...options, ...how });
    await page.locator("main .skeleton").first().waitFor({ state: "detached" });
    await page.waitForLoadState("networkidle").catch(() => {});
    await page.evaluate(() => document.fonts.ready.then(() => new Promise(requestAnimationFrame)));
    await page.screenshot({ path: path.join(folder, `console-${name}.png`) });
    await page.context().close();
  };
  const all = await screens(console);
  for (const [name, at] of all) await take(name, at);
  for (const [name, at] of all.filter(([name]) => ["overview", "document"].includes(name))) {
    await take(`${name}-dark`, at, { dark: true });
    await take(`${name}-phone`, at, { phone: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const console = await startConsole("pictures", { applications: "all", parts: ["gateway", "relay", "storage", "provider", "workerd", "work"], realtime: true });
  try {
    await fill(console);
    await demonstrate(console.stack, ({ title }) => process.stdout.write(`${title}\n`));
    await takePictures(console);
    await console.check();
  } finally {
    await console.close();
  }
}
