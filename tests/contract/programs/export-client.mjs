// The compat client of exports, as far as it speaks to the tables: asks, polls with the document's title, counts, cancels, downloads, deletes.
//
//   SUPABASE_URL=… SUPABASE_ANON_KEY=… ACCESS_TOKEN=… USER_ID=… node export-client.mjs
//
// It prints what it saw as one line of JSON.
import { createClient } from "@supabase/supabase-js";
import ws from "ws";

const { SUPABASE_URL, SUPABASE_ANON_KEY, ACCESS_TOKEN, USER_ID } = process.env;
const supabase = createClient(SUPABASE_URL, SUPABASE_ANON_KEY, {
  accessToken: async () => ACCESS_TOKEN,
  realtime: { transport: ws },
});
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function checked({ data, error }) {
  if (error) throw new Error(`${error.code ?? ""} ${error.message}`);
  return data;
}

const createExportJob = async (documentId, options) => checked(await supabase.from("export_jobs")
  .insert({ user_id: USER_ID, document_id: documentId, format: "pdf", options, status: "pending" }).select().single());

async function waitFor(id) {
  for (;;) {
    const job = checked(await supabase.from("export_jobs").select("*, documents(title)").eq("id", id).single());
    if (["completed", "failed", "cancelled"].includes(job.status)) return job;
    await sleep(100);
  }
}

const count = async (status) => {
  const { count: found, error } = await supabase.from("export_jobs").select("*", { count: "exact", head: true }).eq("user_id", USER_ID).in("status", status);
  if (error) throw new Error(error.message);
  return found;
};

const write = async (title) => checked(await supabase.from("documents").insert({ title, data: { basics: { name: title } } }).select("id").single()).id;

const seen = {};
const [first, second] = [await write("Resume"), await write("Cover letter")];
seen.created = await createExportJob(first, { templateSlug: "modern", pageSize: "A4", margins: { top: 0.5, bottom: 0.5, left: 0.5, right: 0.5 }, quality: "normal", colorMode: "color" });
seen.toCancel = await createExportJob(second, { templateSlug: "classic" });
seen.active = await count(["pending", "processing"]);
checked(await supabase.from("export_jobs").update({ status: "cancelled", completed_at: new Date().toISOString() }).eq("id", seen.toCancel.id).eq("status", "pending"));
seen.cancelled = await waitFor(seen.toCancel.id);
console.log(JSON.stringify({ waiting: seen.created.id }));

seen.finished = await waitFor(seen.created.id);
seen.left = await count(["pending", "processing"]);
if (seen.finished.status === "completed") {
  // The history comes a moment after the completion.
  for (;;) {
    const history = checked(await supabase.from("export_history").select("*, documents(title)").eq("user_id", USER_ID).order("created_at", { ascending: false }));
    seen.history = history[0];
    if (history.length > 0) break;
    await sleep(100);
  }
  const blob = checked(await supabase.storage.from("exports").download(seen.history.file_path));
  seen.downloaded = (await blob.text()).slice(0, 8);
  const signed = checked(await supabase.storage.from("exports").createSignedUrl(seen.history.file_path, 60, { download: seen.history.file_name }));
  seen.signed = (await (await fetch(signed.signedUrl)).text()).slice(0, 8);
  seen.byResultUrl = seen.finished.result_url.startsWith("http") ? (await (await fetch(seen.finished.result_url)).text()).slice(0, 8) : null;
  seen.deleted = checked(await supabase.from("export_history").delete().eq("id", seen.history.id).select());
  seen.historyLeft = checked(await supabase.from("export_history").select("id")).length;
  seen.afterDelete = (await supabase.storage.from("exports").download(seen.history.file_path)).error?.name ?? null;
}
console.log(JSON.stringify({ seen }));
