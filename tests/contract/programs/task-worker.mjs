// A worker of the older system of jobs and tasks. It claims tasks, stores what it makes in the bucket job-artifacts, names it in job_artifacts and
// completes the task. It ends when there is nothing left to do for IDLE_ROUNDS polls.
import { createClient } from "@supabase/supabase-js";
import ws from "ws";

const { SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, WORKER_ID = "task-worker-1", POLL_MS = "200", IDLE_ROUNDS = "15", PAUSE_AT = "" } = process.env;
const supabase = createClient(SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, { auth: { persistSession: false }, realtime: { transport: ws } });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (word, task) => process.stdout.write(`${word} ${task.task_type} ${task.id}\n`);

async function must(request) {
  const { data, error } = await request;
  if (error) throw new Error(error.message);
  return data;
}

// For whoever watches this program: it stays at this point.
async function at(point, task) {
  say(point, task);
  if (PAUSE_AT === point) await sleep(600_000);
}

async function textOf(task) {
  const [text] = await must(supabase.from("job_tasks").select("output").eq("job_id", task.job_id).eq("task_type", "text_generation")
    .lt("sequence", task.sequence).order("sequence", { ascending: false }).limit(1));
  if (!text?.output) throw new Error("the text is not there yet");
  return text.output.text;
}

const FORMS = {
  text_generation: { folder: "json", ending: "json", type: "json", contentType: "application/json" },
  pdf_generation: { folder: "pdf", ending: "pdf", type: "pdf", contentType: "application/pdf" },
  audio_generation: { folder: "audio", ending: "mp3", type: "audio_mp3", contentType: "audio/mpeg" },
};

async function work(task) {
  const { data: job } = await supabase.from("jobs").select("user_id, params").eq("id", task.job_id).single();
  await must(supabase.rpc("heartbeat_task", { p_task_id: task.id, p_worker_id: WORKER_ID }));
  const form = FORMS[task.task_type];
  const text = task.task_type === "text_generation" ? `About ${task.input.title}, for ${job.params.reader}` : await textOf(task);
  const content = task.task_type === "text_generation" ? JSON.stringify({ text }) : `${form.type} of: ${text}`;

  const path = `${job.user_id}/${task.job_id}/${form.folder}/${task.id}.${form.ending}`;
  await must(supabase.storage.from("job-artifacts").upload(path, Buffer.from(content), { contentType: form.contentType, upsert: true }));
  await at("stored", task);
  const { data: { publicUrl } } = supabase.storage.from("job-artifacts").getPublicUrl(path);
  await must(supabase.from("job_artifacts").insert({
    job_id: task.job_id, task_id: task.id, artifact_type: form.type, storage_path: path, public_url: publicUrl,
    file_size_bytes: content.length, duration_seconds: form.type === "audio_mp3" ? 1.5 : null,
  }));
  await at("named", task);
  const isMine = await must(supabase.rpc("complete_task", { p_task_id: task.id, p_worker_id: WORKER_ID, p_output: { text, storage_path: path } }));
  say(isMine ? "completed" : "lost", task);
}

for (let idle = 0; idle < Number(IDLE_ROUNDS);) {
  const tasks = await must(supabase.rpc("claim_tasks", { p_worker_id: WORKER_ID, p_max_tasks: 2, p_task_types: Object.keys(FORMS) }));
  for (const task of tasks) {
    await at("claimed", task);
    try {
      await work(task);
    } catch (error) {
      say(`failed (${error.message})`, task);
      await supabase.rpc("fail_task", { p_task_id: task.id, p_worker_id: WORKER_ID, p_error: error.message });
    }
  }
  idle = tasks.length === 0 ? idle + 1 : 0;
  if (tasks.length === 0) await sleep(Number(POLL_MS));
}
const [{ count }] = await must(supabase.from("job_tasks").select("count").neq("status", "complete"));
process.stdout.write(`left ${count}\n`);
