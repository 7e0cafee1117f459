// Hands a medical document to the function shell-file-processor-v3: the file itself, as a form, or by reference to where it is stored.
//
//   SUPABASE_URL, SUPABASE_ANON_KEY, ACCESS_TOKEN   the project, and the user's session
//   FILE, IDEMPOTENCY_KEY, BY                       what to upload, its key, and how: file, form or reference
//
// Each step is a line on standard output, as JSON.
import fs from "node:fs";
import path from "node:path";

import { createClient } from "@supabase/supabase-js";
import ws from "ws";

const { SUPABASE_URL, SUPABASE_ANON_KEY, ACCESS_TOKEN, FILE, IDEMPOTENCY_KEY, BY } = process.env;
const supabase = createClient(SUPABASE_URL, SUPABASE_ANON_KEY, { accessToken: async () => ACCESS_TOKEN, realtime: { transport: ws } });
const user = JSON.parse(Buffer.from(ACCESS_TOKEN.split(".")[1], "base64url")).sub;
const say = (step, more) => console.log(JSON.stringify({ step, ...more }));
const must = ({ data, error }) => {
  if (error) throw new Error(`${error.message} ${JSON.stringify(error.context?.status ?? "")}`);
  return data;
};

const name = path.basename(FILE);
const blob = new Blob([fs.readFileSync(FILE)], { type: name.endsWith(".pdf") ? "application/pdf" : "text/plain" });
const profile = must(await supabase.rpc("default_profile"));

let answer;
if (BY === "file") {
  answer = await supabase.functions.invoke("shell-file-processor-v3", { body: blob, headers: { "idempotency-key": IDEMPOTENCY_KEY } });
} else if (BY === "form") {
  const form = new FormData();
  form.append("patient_id", profile);
  form.append("idempotency_key", IDEMPOTENCY_KEY);
  form.append("file", blob, name);
  answer = await supabase.functions.invoke("shell-file-processor-v3", { body: form });
} else {
  const stored = must(await supabase.storage.from("medical-docs").upload(`${user}/${Date.now()}_${name}`, blob));
  say("stored", { path: stored.path });
  answer = await supabase.functions.invoke("shell-file-processor-v3", { body: {
    storage_path: stored.path, filename: name, mime_type: blob.type, file_size_bytes: blob.size, patient_id: profile, estimated_pages: 1,
    idempotency_key: IDEMPOTENCY_KEY } });
}
const accepted = must(answer);
say("accepted", { accepted });

for (;;) {
  const row = must(await supabase.from("shell_files").select("id, status, original_filename").eq("id", accepted.id).single());
  if (["completed", "failed", "refused", "infected"].includes(row.status)) {
    say("ended", { row });
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
}
