// Jobs of the engine in every state, and everything that the engine itself remembers.
import { ADA, BOB } from "./actors.mjs";

/** One user has work in every state at once, more than one may run, and jobs are claimed out of turn. Answers what sets the queues' bounds again. */
export async function letUsersRunMany({ owner }) {
  const { rows } = await owner("select queue, dequeue, max_running_per_group as most from mill.queue where dequeue = 'fair' or max_running_per_group is not null");
  await owner("update mill.queue set dequeue = 'priority', max_running_per_group = null where queue = any ($1)", rows.map(({ queue }) => queue));
  return async () => {
    for (const { queue, dequeue, most } of rows) await owner("update mill.queue set dequeue = $2, max_running_per_group = $3 where queue = $1", queue, dequeue, most);
  };
}

/** While the database is filled, what failed waits so long that no tick can promote it. Answers how to give the queues their own pauses back. */
export async function slowRetries({ owner }) {
  const { rows } = await owner("select queue, backoff_base_seconds, backoff_cap_seconds from mill.queue");
  await owner("update mill.queue set backoff_base_seconds = 600, backoff_cap_seconds = 3600");
  return async () => {
    for (const { queue, backoff_base_seconds: base, backoff_cap_seconds: cap } of rows) {
      await owner("update mill.queue set backoff_base_seconds = $2, backoff_cap_seconds = $3 where queue = $1", queue, base, cap);
    }
  };
}

export async function fill({ service, user, owner, claim, hold, settle }) {
  // What an operator has added belongs to no part: it must outlive every upgrade as it is.
  await owner(`insert into mill.queue (queue, description, max_running_per_group, dequeue) values
    ('reports', 'The operator''s own queue', 2, 'fair'), ('letters', 'Another one, which is paused', null, 'priority'),
    ('mailing', 'Many small jobs at a time', null, 'priority')`);
  await owner("insert into mill.queue (queue, description, served_by, function, backoff_base_seconds) values ('brittle', 'Its function fails', 'function', 'brittle', 600)");
  await owner("insert into mill.kind (kind, queue, open_to_users) values ('weekly_report', 'reports', true), ('letter', 'letters', true), ('brittle_call', 'brittle', false), ('mail', 'mailing', false)");
  await owner("update mill.settings set value = '70000' where key = 'queue.payload_max_bytes'");
  await owner("insert into mill.settings (key, value, type, description) values ('acme.theme', 'dark', 'string', 'A setting of the operator''s own')");

  const completed = await hold("echo", "default", { say: "completed" });
  await settle(completed, { outcome: "completed", result: { echo: { say: "completed" } } });
  const dead = await hold("echo", "default", { say: "dead" });
  await settle(dead, { outcome: "dead", error: { type: "broken", message: "no retry can cure it" } });
  const retrying = await hold("echo", "default", { say: "retrying" });
  await settle(retrying, { outcome: "failed", error: { type: "http", message: "503", retryable: true } });
  const snoozed = await hold("echo", "default", { say: "snoozed" });
  await settle(snoozed, { outcome: "snoozed", delay_seconds: 3600 });
  await hold("echo", "default", { say: "live lease" }, "worker-live");
  const asked = await hold("echo", "default", { say: "asked to cancel" }, "worker-live");
  await service("select public.cancel_jobs(array[$1]::uuid[])", asked.id);

  const { id: cancelled } = await user(ADA)("select public.submit_job('echo', '{\"say\": \"cancelled\"}')");
  await service("select public.cancel_jobs(array[$1]::uuid[])", cancelled);
  await user(ADA)("select public.submit_job('echo', '{\"say\": \"pending\"}', p_dedupe_key => 'one', p_correlation_id => 'trace-1')");
  await user(BOB)("select public.submit_job('echo', '{\"say\": \"deferred\"}', p_run_at => now() + interval '1 hour')");
  for (const [owner, n] of [[ADA, 1], [ADA, 2], [ADA, 3], [BOB, 4]]) {
    await service("select public.submit_job('weekly_report', jsonb_build_object('n', $2::int), p_owner => $1, p_group_key => $3)", owner, n, `tenant-${owner[0]}`);
  }
  await claim("reports", () => true, "worker-reports");
  await user(BOB)("select public.submit_job('letter', '{\"say\": \"paused\"}')");
  await service("select public.pause_queue('letters', true)");

  // Twenty attempts that fail within a minute open the breaker.
  await service("select public.enqueue_jobs((select jsonb_agg(jsonb_build_object('kind', 'brittle_call', 'payload', jsonb_build_object('n', n))) from generate_series(1, 25) n))");
  const calls = await service("select public.claim_jobs('worker-live', array['brittle'], 25)");
  await service("select public.settle_jobs('worker-live', $1::jsonb)",
    JSON.stringify(calls.map(({ id, attempt }) => ({ id, attempt, outcome: "failed", error: { type: "http", message: "500", retryable: true } }))));

  // Packs: one is held whole, the others wait.
  await service("select public.enqueue_many('mail', (select jsonb_agg(jsonb_build_object('packed', n)) from generate_series(1, 250) n))");
  await service("select public.claim_jobs('worker-live', array['mailing'], 50)");
  await service("select public.enqueue_many('letter', (select jsonb_agg(jsonb_build_object('packed', n)) from generate_series(1, 30) n))");

  await user(ADA)("select public.call_once('key-of-ada', 'submit_job', '{\"p_kind\": \"echo\", \"p_payload\": {\"say\": \"once\"}}')");
  await service("select public.call_once('key-of-service', 'enqueue_many', '{\"p_kind\": \"echo\", \"p_payloads\": [{\"n\": 1}, {\"n\": 2}]}')");

  await owner("insert into mill.api_rate_limits (provider_name, api_endpoint, requests_per_minute, tokens_per_minute) values ('acme', 'chat', 60, 100000)");
  await service("select public.reserve_api_capacity('acme', 'chat', 500)"); // a grant in use
  const { lease_id: lease } = await service("select public.reserve_api_capacity('acme', 'chat', 700)");
  await service("select public.settle_api_capacity($1, 650)", lease);
  await service("select public.report_api_rate_limit('acme', 'chat', 30)");
}

/** Leases that have run out, after the tick: it would take them back. */
export async function lose({ service, hold, ago }) {
  await ago(3600, () => hold("echo", "default", { say: "expired lease" }, "worker-gone"));
  await ago(3600, () => service("select public.claim_jobs('worker-gone', array['mailing'], 50)"));
}

/** After all others have acted: the audit chain, alerts, statistics. */
export async function round({ service, owner }) {
  await service("select public.log_audit_event('letters', '1', 'UPDATE', '{\"a\": 1}', '{\"a\": 2}', 'by hand', 'operator')");
  await owner("update mill.alert_rule set threshold = 0.5 where rule = 'dead_letters_growing'");
  await service("select public.tick()"); // links the audit chain, opens the breaker, fires alerts
  await owner("select mill.judge_alerts()");
  await owner("update mill.alert_rule set threshold = 10 where rule = 'dead_letters_growing'");
}

export async function finish({ service, owner }) {
  await service("select public.log_audit_event('letters', '2', 'UPDATE', null, '{\"a\": 3}', 'not linked yet', 'operator')");
  await service("select public.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('packed', n)) from generate_series(1, 40) n))");
  await owner("select mill.record_heartbeat(name) from mill.schedule"); // last: to_now.sql takes it for the moment of the dump
}
