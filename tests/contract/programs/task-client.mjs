// A client of the older system of jobs and tasks: a signed-in user inserts a job, polls it to its end and downloads what it made.
import { createClient } from "@supabase/supabase-js";
import ws from "ws";

const { SUPABASE_URL, SUPABASE_ANON_KEY, USER_TOKEN, USER_ID, JOB_TYPE } = process.env;
const supabase = createClient(SUPABASE_URL, SUPABASE_ANON_KEY, { auth: { persistSession: false }, realtime: { transport: ws }, accessToken: async () => USER_TOKEN });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function must(request) {
  const { data, error } = await request;
  if (error) throw new Error(error.message);
  return data;
}

const job = await must(supabase.from("jobs").insert({ user_id: USER_ID, type: JOB_TYPE, params: { reader: "Ada" }, status: "queued" }).select().single());
process.stdout.write(`job ${job.id} ${job.status}\n`);

const seen = [];
for (;;) {
  const { status, progress } = await must(supabase.from("jobs").select("status, progress").eq("id", job.id).single());
  if (seen.at(-1)?.status !== status || seen.at(-1)?.percent !== progress.percent) seen.push({ status, percent: progress.percent });
  if (["complete", "failed", "cancelled"].includes(status)) break;
  await sleep(100);
}
const artifacts = await must(supabase.from("job_artifacts").select("artifact_type, storage_path, file_size_bytes, duration_seconds").eq("job_id", job.id).order("artifact_type"));
const files = await Promise.all(artifacts.map(async ({ artifact_type: type, storage_path: path }) => {
  const blob = await must(supabase.storage.from("job-artifacts").download(path));
  return { type, content: await blob.text() };
}));
process.stdout.write(`${JSON.stringify({ seen, artifacts, files })}\n`);
