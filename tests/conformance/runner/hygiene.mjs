// What must hold for every call of every scenario: the headers, names and arguments of docs/protocol.md, and the shape of what is sent.
import { short } from "./match.mjs";

const HOLDER = ["p_job", "p_worker", "p_attempt"];
const ARGUMENTS = {
  claim_jobs: ["p_worker", "p_queues", "p_max", "p_kinds", "p_invocation", "p_leave_external"],
  heartbeat_jobs: ["p_worker", "p_leases"],
  end_worker: ["p_worker"],
  settle_jobs: ["p_worker", "p_outcomes", "p_invocation"],
  settle_and_claim: ["p_worker", "p_outcomes", "p_queues", "p_max", "p_kinds", "p_leave_external"],
  enqueue_jobs: ["p_jobs"],
  submit_job: ["p_kind", "p_payload", "p_name", "p_priority", "p_run_at", "p_dedupe_key", "p_group_key", "p_owner", "p_correlation_id", "p_traceparent"],
  enqueue_many: ["p_kind", "p_payloads"],
  register_jobs: ["p_definition", "p_force"],
  job_steps: ["p_job"],
  record_step: [...HOLDER, "p_step", "p_result"],
  sleep_step: [...HOLDER, "p_step", "p_seconds", "p_until", "p_logs"],
  wait_for_event: [...HOLDER, "p_step", "p_event", "p_seconds", "p_logs"],
  send_event: ["p_job", "p_event", "p_payload", "p_key"],
  call_once: null, // docs/idempotency.md
};
const OUTCOMES = {
  completed: ["result"], failed: ["error", "delay_seconds"], snoozed: ["error", "delay_seconds"], released: ["error", "delay_seconds"], dead: ["error"],
};
const LEVELS = ["debug", "info", "warn", "error"];

/** Sentences about calls that the protocol does not allow. An adapter may name further calls of its own, as `calls`. */
export function wireProblems(calls, { calls: own = [] }) {
  return calls.filter(({ rpc }) => !own.includes(rpc)).flatMap((call) => problemsOf(call).map((problem) => `${call.rpc} ${short(call.body, 200)}: ${problem}`));
}

function* walk({ rpc, method, headers, body }) {
  if (!(rpc in ARGUMENTS)) return yield "the protocol has no such call";
  if (method !== "POST") yield `is a ${method}`;
  if (!headers.apikey) yield "has no apikey";
  if (headers.authorization !== `Bearer ${headers.apikey}`) yield "Authorization is not the key";
  if (!/^application\/json\b/.test(headers["content-type"] ?? "")) yield `Content-Type is ${headers["content-type"]}`;
  if (headers.traceparent !== undefined && !/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(headers.traceparent)) yield `traceparent is ${headers.traceparent}`;
  if (!body || typeof body !== "object") return yield "the body is no JSON object";
  for (const name of Object.keys(body)) if (ARGUMENTS[rpc] && !ARGUMENTS[rpc].includes(name)) yield `the protocol has no argument ${name}`;
  if ("p_worker" in body && !(typeof body.p_worker === "string" && body.p_worker.length >= 1 && body.p_worker.length <= 200)) yield "p_worker is no name";
  if ("p_max" in body && !(Number.isInteger(body.p_max) && body.p_max >= 0 && body.p_max <= 1000)) yield "p_max is not a number up to 1,000";
  for (const outcome of body.p_outcomes ?? []) yield* outcomeProblems(outcome);
  yield* logProblems(body.p_logs);
  for (const lease of body.p_leases ?? []) yield* leaseProblems(lease);
}

const problemsOf = (call) => [...walk(call)];

function* outcomeProblems(outcome) {
  if (!outcome.id || !Number.isInteger(outcome.attempt)) yield "an outcome lacks id or attempt";
  const fields = OUTCOMES[outcome.outcome];
  if (!fields) return yield `there is no outcome ${outcome.outcome}`;
  for (const [name, value] of Object.entries(outcome)) {
    if (!["id", "attempt", "outcome", "usage", "logs", ...fields].includes(name) && value !== null) yield `${outcome.outcome} has no field ${name}`;
  }
  const { error, delay_seconds: delay } = outcome;
  if (["failed", "dead"].includes(outcome.outcome) && !error) yield `${outcome.outcome} has no error`;
  if (error) {
    if (typeof error.type !== "string" || error.type === "") yield "error.type is no word";
    if (typeof error.message !== "string") yield "error.message is no sentence";
    if (typeof error.retryable !== "boolean") yield "error.retryable is no boolean";
    if (error.http_status !== undefined && error.http_status !== null && !Number.isInteger(error.http_status)) yield "error.http_status is no number";
  }
  if (delay !== undefined && delay !== null && !(typeof delay === "number" && delay >= 0)) yield "delay_seconds is no number";
  yield* logProblems(outcome.logs);
}

function* leaseProblems({ id, attempt, progress, logs }) {
  if (!id || !Number.isInteger(attempt)) yield "a lease lacks id or attempt";
  if (progress !== undefined && progress !== null && !(progress >= 0 && progress <= 100)) yield "progress is not between 0 and 100";
  yield* logProblems(logs);
}

function* logProblems(logs) {
  for (const { level, message, data, at } of logs ?? []) {
    if (!LEVELS.includes(level)) yield `there is no level ${level}`;
    if (typeof message !== "string") yield "a line of the log has no message";
    if (data !== undefined && data !== null && (typeof data !== "object" || Array.isArray(data))) yield "data of a line is no object";
    if (at !== undefined && at !== null && Number.isNaN(Date.parse(at))) yield "at of a line is no time";
  }
}
