// A worker of the job queue: claims, sends heartbeats, reserves capacity of the AI provider, calls it, tracks usage, completes. Runs until SIGTERM.
import { createClient } from "@supabase/supabase-js";
import ws from "ws";

const {
  SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, AI_URL, AI_PROVIDER = "openai", AI_ENDPOINT = "gpt-4o-mini",
  WORKER_ID = `worker-${process.pid}`, WORKER_CONCURRENCY = "2", HEARTBEAT_INTERVAL_SECONDS, JOB_TYPES, BACKPRESSURE_SECONDS = "30",
} = process.env;
const supabase = createClient(SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, { auth: { persistSession: false }, realtime: { transport: ws } });
const interval = HEARTBEAT_INTERVAL_SECONDS ? Number(HEARTBEAT_INTERVAL_SECONDS) : undefined;
const log = (event, fields) => console.log(JSON.stringify({ event, worker: WORKER_ID, ...fields }));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function rpc(name, args) {
  const { data, error } = await supabase.rpc(name, args);
  if (error) throw new Error(`${name}: ${error.message}`);
  return data;
}

async function callModel(job) {
  const estimated = job.job_payload.estimated_tokens;
  const limit = { p_provider_name: AI_PROVIDER, p_api_endpoint: AI_ENDPOINT };
  if (!(await rpc("acquire_api_capacity", { ...limit, p_estimated_tokens: estimated }))) return null;
  let tokens = null;
  try {
    const answer = await fetch(AI_URL, { method: "POST", body: JSON.stringify({ worker: WORKER_ID, prompt: job.job_payload.prompt }) });
    tokens = (await answer.json()).usage.total_tokens;
    return tokens;
  } finally {
    await rpc("release_api_capacity", { ...limit, p_estimated_tokens: estimated, p_actual_tokens: tokens });
  }
}

async function processJob(job) {
  const started = Date.now();
  const beat = () => rpc("update_job_heartbeat", { p_job_id: job.job_id, p_worker_id: WORKER_ID, heartbeat_interval_seconds: interval });
  await beat();
  const heartbeat = setInterval(() => beat().catch((error) => log("heartbeat failed", { message: error.message })), (interval ?? 30) * 1000);
  try {
    const tokens = await callModel(job);
    if (tokens === null) {
      await rpc("reschedule_job", { p_job_id: job.job_id, p_delay_seconds: Number(BACKPRESSURE_SECONDS), p_reason: "rate_limited" });
      log("rescheduled", { job: job.job_id });
      return;
    }
    const { data: usage, error } = await supabase.rpc("track_ai_processing_usage", {
      p_profile_id: job.job_payload.profile_id, p_job_id: job.job_id, p_tokens_used: tokens, p_processing_seconds: Math.round((Date.now() - started) / 1000),
    });
    if (error) log("usage was not tracked", { message: error.message });
    else log("usage", usage);
    const completed = await rpc("complete_job", { p_job_id: job.job_id, p_worker_id: WORKER_ID, p_job_result: { tokens, retry_count: job.retry_count } });
    log(completed ? "completed" : "lost", { job: job.job_id });
  } finally {
    clearInterval(heartbeat);
  }
}

let stopping = false;
process.once("SIGTERM", () => { stopping = true; });

async function run() {
  while (!stopping) {
    const [job] = await rpc("claim_next_job_v3", { worker_id: WORKER_ID, job_types: JOB_TYPES?.split(","), heartbeat_interval_seconds: interval });
    if (job) await processJob(job);
    else await sleep(100);
  }
}

await Promise.all(Array.from({ length: Number(WORKER_CONCURRENCY) }, run));
