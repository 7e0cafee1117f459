// Edit and enqueue as a new job: the payload as text, so that every number stays as it was written.
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { rpc } from "../lib/api.js";
import { checkJson } from "../lib/json.js";
import { start } from "../lib/live.js";
import { go, href } from "../lib/router.js";
import { Dialog, say } from "../parts/act.js";

/** @param {{from: {job: any, text: string, masked: boolean, cut: boolean}, onClose: () => void}} props */
export function EnqueueDialog({ from, onClose }) {
  const { job } = from;
  const usable = !from.masked && !from.cut;
  const [kind, setKind] = useState(job.kind);
  const [text, setText] = useState(() => (usable ? (checkJson(from.text ?? "{}").text ?? "{}") : "{}"));
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const checked = checkJson(text, { object: true });
  const submit = async (event) => {
    event.preventDefault();
    if (checked.error) return setError(checked.error);
    const form = new FormData(event.target);
    const options = { copy_of: job.id, priority: Number(form.get("priority")), ...(form.get("run_at") ? { run_at: new Date(String(form.get("run_at"))).toISOString() } : {}) };
    setBusy(true);
    try {
      const answer = await rpc("console_enqueue", { p_kind: kind, p_payload: checked.text, p_options: options, p_reason: form.get("reason") });
      say({ new: "Enqueued.", duplicate: "A job with these values is there already; this is it.", throttled: "The queue takes no new jobs now. Try again later." }[answer.status] ?? answer.status, answer.status === "throttled" ? "bad" : "good");
      onClose();
      if (answer.id) go(href("job", [answer.id]));
    } catch (failure) {
      setError([failure.message, failure.advice].filter(Boolean).join(" "));
      setBusy(false);
    }
    return undefined;
  };
  return html`<${Dialog} title="Enqueue as a new job" onClose=${onClose} wide><form onSubmit=${submit}><div class="dialog-body">
    ${!usable && html`<p class="warn">${from.masked ? "The payload of this job is masked, so it cannot be copied. Reveal it first, or write a whole one." : "The payload is too large to be edited here. Write a whole one."}</p>`}
    <label class="field"><span>Kind</span><select value=${kind} onChange=${(event) => setKind(event.target.value)}>${[...new Set([job.kind, ...start.value.kinds.map((row) => row.kind)])].map((name) => html`<option value=${name}>${name}</option>`)}</select></label>
    <label class="field"><span>Payload <i>JSON; large numbers stay exact</i></span><textarea rows="14" spellcheck="false" value=${text} onInput=${(event) => { setText(event.target.value); setError(""); }} aria-invalid=${Boolean(checked.error)} /></label>
    ${checked.error && html`<p class="warn small">${checked.error}</p>`}
    <div class="pair"><label class="field"><span>Priority <i>-100 to 100, the highest goes first</i></span><input name="priority" type="number" min="-100" max="100" value=${job.priority} /></label>
      <label class="field"><span>Due <i>empty: now</i></span><input name="run_at" type="datetime-local" /></label></div>
    <label class="field"><span>Reason <i>kept in the audit log</i></span><input name="reason" required maxlength="500" autocomplete="off" /></label>
    ${error && html`<p class="bad breaks" role="alert">${error}</p>`}</div>
    <footer><button type="button" onClick=${onClose}>Not now</button><button class="primary" disabled=${busy || Boolean(checked.error)}>${busy ? "One moment …" : "Enqueue"}</button></footer></form><//>`;
}
