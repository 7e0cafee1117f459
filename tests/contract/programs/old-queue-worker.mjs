// A worker from before reschedule_job existed: it claims by the RPC, sends one heartbeat, and puts a job off by updating its row. Runs until SIGTERM.
import { createClient } from "@supabase/supabase-js";
import ws from "ws";

const WORKER_ID = process.env.WORKER_ID ?? `old-worker-${process.pid}`;
const DELAY_SECONDS = Number(process.env.BACKPRESSURE_SECONDS ?? "30");
const supabase = createClient(process.env.SUPABASE_URL, process.env.SUPABASE_SERVICE_ROLE_KEY, { auth: { persistSession: false }, realtime: { transport: ws } });
const log = (event, fields) => console.log(JSON.stringify({ event, worker: WORKER_ID, ...fields }));

let stopping = false;
process.once("SIGTERM", () => { stopping = true; });

while (!stopping) {
  const { data: jobs, error } = await supabase.rpc("claim_next_job_v3", { worker_id: WORKER_ID, job_types: ["notification_delivery", "consent_verification"] });
  if (error) throw new Error(error.message);
  if (!jobs || jobs.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    continue;
  }
  const job = jobs[0];
  await supabase.rpc("update_job_heartbeat", { p_job_id: job.job_id, p_worker_id: WORKER_ID });

  const answer = await fetch(process.env.AI_URL, { method: "POST", body: JSON.stringify({ worker: WORKER_ID, prompt: job.job_payload.prompt }) });
  if (answer.status === 429) {
    const { data: rows, error: failure } = await supabase
      .from("job_queue")
      .update({
        status: "pending",
        scheduled_at: new Date(Date.now() + DELAY_SECONDS * 1000).toISOString(),
        worker_id: null,
        started_at: null,
        heartbeat_at: null,
      })
      .eq("id", job.job_id)
      .select("id, status, worker_id, scheduled_at, error_details");
    if (failure) throw new Error(failure.message);
    log("rescheduled", { job: job.job_id, rows });
    continue;
  }
  const { data: completed } = await supabase.rpc("complete_job", { p_job_id: job.job_id, p_worker_id: WORKER_ID, p_job_result: await answer.json() });
  log(completed ? "completed" : "lost", { job: job.job_id });
}
