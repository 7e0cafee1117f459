// A refresh processor: takes a batch of the queue, fetches each item by its edge function's name, writes the rows, and completes by id.
// It ends when the queue is empty.
import { createClient } from "@supabase/supabase-js";
import ws from "ws";

const { SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, API_URL, BATCH_SIZE, STUCK_MINUTES } = process.env;
const supabase = createClient(SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, { auth: { persistSession: false }, realtime: { transport: ws } });

async function rpc(name, args) {
  const { data, error } = await supabase.rpc(name, args);
  if (error) throw new Error(`${name}: ${error.message}`);
  return data;
}

const FETCHERS = {
  async "fetch-fmp-earnings"(symbol) {
    const response = await fetch(`${API_URL}?symbol=${symbol}`);
    if (!response.ok) throw new Error(`the API answered ${response.status}`);
    const body = await response.text();
    const { eps } = JSON.parse(body);
    const { error } = await supabase.from("earnings_calendar").upsert({ symbol, eps, fetched_at: new Date().toISOString() }, { onConflict: "symbol" });
    if (error) throw error;
    return body.length;
  },
};

async function work(job) {
  console.log(JSON.stringify({ took: job.symbol, priority: job.priority }));
  try {
    const size = await FETCHERS[job.edge_function_name](job.symbol);
    const answer = await rpc("complete_queue_job", { p_job_id: job.id, p_data_size_bytes: size });
    console.log(JSON.stringify({ completed: job.symbol, answer }));
  } catch (error) {
    if (error.code === "40P01") return rpc("reset_job_immediate", { p_job_id: job.id });
    await rpc("fail_queue_job", { p_job_id: job.id, p_error_message: error.message });
    console.log(JSON.stringify({ failed: job.symbol }));
  }
}

await rpc("recover_stuck_jobs", STUCK_MINUTES ? { timeout_minutes: Number(STUCK_MINUTES), max_retries: 3 } : {});
for (let empty = 0; empty < 3;) {
  if (await rpc("is_quota_exceeded", { p_quota_gb: 20, p_rolling_days: 30, p_safety_buffer: 0.95 })) break;
  const jobs = await rpc("get_queue_batch", { batch_size: Number(BATCH_SIZE ?? 5) });
  empty = jobs.length === 0 ? empty + 1 : 0;
  await Promise.all(jobs.map(work));
  if (jobs.length === 0) await new Promise((resolve) => setTimeout(resolve, 300));
}
console.log(JSON.stringify({ done: true }));
