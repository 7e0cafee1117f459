// The back end of the older system of jobs and tasks: it plans the tasks of a queued job.
import { createClient } from "@supabase/supabase-js";
import ws from "ws";

const { SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, JOB_ID } = process.env;
const supabase = createClient(SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, { auth: { persistSession: false }, realtime: { transport: ws } });
const titles = ["The stars", "The sea"];
const tasks = titles.flatMap((title, at) => ["text_generation", "pdf_generation", "audio_generation"].map((task_type, place) => (
  { job_id: JOB_ID, task_type, sequence: at * 3 + place + 1, input: { title } })));
const { data, error } = await supabase.from("job_tasks").insert(tasks).select("id, sequence, status");
if (error) throw new Error(error.message);
const { data: [{ count }] } = await supabase.from("job_tasks").select("count").eq("job_id", JOB_ID).eq("status", "pending");
process.stdout.write(`${JSON.stringify({ inserted: data, pending: count })}\n`);
