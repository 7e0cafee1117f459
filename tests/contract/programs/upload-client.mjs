// Uploads a medical document and waits until it was read: to storage first, then by an upsert of shell_files.
//
//   SUPABASE_URL, SUPABASE_ANON_KEY, ACCESS_TOKEN   the project, and the user's session
//   FILE, IDEMPOTENCY_KEY                           what to upload, and the key that makes a retry safe
//
// Each step is a line on standard output, as JSON.
import fs from "node:fs";
import path from "node:path";

import { createClient } from "@supabase/supabase-js";
import ws from "ws";

const { SUPABASE_URL, SUPABASE_ANON_KEY, ACCESS_TOKEN, FILE, IDEMPOTENCY_KEY } = process.env;
const supabase = createClient(SUPABASE_URL, SUPABASE_ANON_KEY, { accessToken: async () => ACCESS_TOKEN, realtime: { transport: ws } });
const user = JSON.parse(Buffer.from(ACCESS_TOKEN.split(".")[1], "base64url")).sub;
const say = (step, more) => console.log(JSON.stringify({ step, ...more }));
const must = ({ data, error }) => {
  if (error) throw new Error(error.message ?? JSON.stringify(error));
  return data;
};

const name = path.basename(FILE);
const content = fs.readFileSync(FILE);
const mimeType = name.endsWith(".pdf") ? "application/pdf" : "text/plain";
const profile = must(await supabase.rpc("default_profile"));

const stored = must(await supabase.storage.from("medical-docs").upload(`${user}/${Date.now()}_${name}`, new Blob([content], { type: mimeType })));
say("stored", { path: stored.path });

const { id } = must(await supabase.from("shell_files").upsert({
  patient_id: profile, filename: name, original_filename: name, file_size_bytes: content.length, mime_type: mimeType,
  storage_path: stored.path, idempotency_key: IDEMPOTENCY_KEY, status: "uploaded",
}, { onConflict: "idempotency_key" }).select("id").single());
say("registered", { id });

const usage = must(await supabase.rpc("track_shell_file_upload_usage",
  { p_profile_id: profile, p_shell_file_id: id, p_file_size_bytes: content.length, p_estimated_pages: 1 }));
say("tracked", { usage });

for (;;) {
  const row = must(await supabase.from("shell_files").select("*").eq("id", id).single());
  if (["completed", "failed", "refused", "infected"].includes(row.status)) {
    const file = row.status === "completed" ? must(await supabase.storage.from("medical-docs").download(row.storage_path)) : null;
    say("ended", { id, row, bytes: file?.size, usage: must(await supabase.rpc("get_user_usage_status", { p_profile_id: profile })) });
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
}
