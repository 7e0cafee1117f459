// The compat export worker: fetches a job, prints the document, stores the PDF, completes the job and writes its history.
//
//   SUPABASE_URL=… SUPABASE_SERVICE_ROLE_KEY=… node export-worker.mjs
//
// It ends when nothing was left to fetch for IDLE_MS. DIE_AT=progress|uploaded|completed ends the process there, as a crash would.
import { createClient } from "@supabase/supabase-js";
import ws from "ws";

const supabase = createClient(process.env.SUPABASE_URL, process.env.SUPABASE_SERVICE_ROLE_KEY, {
  auth: { persistSession: false },
  realtime: { transport: ws },
});
const idle = Number(process.env.IDLE_MS ?? 3000);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function checked({ data, error }) {
  if (error) throw new Error(`${error.code ?? ""} ${error.message}`);
  return data;
}

function reach(place) {
  console.log(JSON.stringify({ reached: place }));
  if (process.env.DIE_AT === place) process.kill(process.pid, "SIGKILL");
}

// What a browser would print.
function print(document, options) {
  const text = `${document.title} ${options.templateSlug} ${options.pageSize}`.replace(/[()\\]/g, " ");
  return Buffer.from(`%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n3 0 obj<</Type/Page>>endobj\n% ${text}\ntrailer<</Root 1 0 R>>\n%%EOF\n`);
}

async function updateJob(id, changes) {
  checked(await supabase.from("export_jobs").update(changes).eq("id", id));
}

async function processJob(job) {
  await updateJob(job.id, { progress: 10 });
  const document = checked(await supabase.from("documents").select("title, data, version").eq("id", job.document_id).single());
  await updateJob(job.id, { progress: 50 });
  reach("progress");
  if (document.title.startsWith("Broken")) throw new Error("the template could not be rendered");

  const pdf = print(document, job.options);
  const filePath = `${job.user_id}/${job.document_id}_${Date.now()}.pdf`;
  checked(await supabase.storage.from("exports").upload(filePath, pdf, { contentType: "application/pdf", upsert: false }));
  reach("uploaded");
  const { signedUrl } = checked(await supabase.storage.from("exports").createSignedUrl(filePath, 7 * 24 * 3600));

  await updateJob(job.id, {
    status: "completed", progress: 100, result_url: signedUrl, file_size: pdf.length, page_count: 1, completed_at: new Date().toISOString(),
  });
  reach("completed");
  checked(await supabase.from("export_history").insert({
    user_id: job.user_id, document_id: job.document_id, document_version: document.version, format: job.format, template_slug: job.options.templateSlug,
    file_name: `${document.title}.pdf`, file_path: filePath, file_size: pdf.length, download_count: 0,
    expires_at: new Date(Date.now() + 7 * 24 * 3600 * 1000).toISOString(),
  }));
}

async function handleFailure(job, error) {
  if (job.attempts >= job.max_attempts) {
    await updateJob(job.id, { status: "failed", error_message: error.message, completed_at: new Date().toISOString() });
    return;
  }
  const delay = Math.min(60 * 2 ** (job.attempts - 1), 3600);
  await updateJob(job.id, { status: "pending", error_message: error.message, run_after: new Date(Date.now() + delay * 1000).toISOString() });
}

for (let last = Date.now(); Date.now() - last < idle;) {
  const [job] = checked(await supabase.rpc("fetch_next_export_job"));
  if (!job) {
    await sleep(100);
    continue;
  }
  console.log(JSON.stringify({ fetched: job }));
  try {
    await processJob(job);
  } catch (error) {
    console.error(String(error));
    await handleFailure(job, error);
  }
  last = Date.now();
}
