// What an action on many jobs would do, before it is begun: how many, which kinds, some of them.
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { rpc } from "../lib/api.js";
import { number, shortId } from "../lib/format.js";
import { useRpc } from "../lib/use.js";
import { Dialog, say } from "../parts/act.js";
import { Fetched, Meter, State, Time } from "../parts/bits.js";

const WORDS = {
  retry: { verb: "Retry", what: "go back to their queues and are due at once" },
  discard: { verb: "Discard", what: "are deleted with their payloads. This cannot be undone" },
  cancel: { verb: "Cancel", what: "are cancelled; what runs is asked to stop" },
};

/** @param {{action: "retry" | "discard" | "cancel", group: any, search: string, onClose: () => void, onStarted: () => void}} props */
export function PreviewDialog({ action, group, search, onClose, onStarted }) {
  const from = useRpc("console_preview", { p_action: action, p_search: search, p_group: group?.group ?? null }, { every: 0 });
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {any} */ (null));
  const { verb, what } = WORDS[action];
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await rpc("console_bulk", { p_action: action, p_search: search, p_group: group?.group ?? null, p_reason: reason.trim() });
      say("The run has begun. It shows here how far it is.");
      onStarted();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const count = from.data && `${from.data.more ? "more than " : ""}${number(from.data.count)}`;
  return html`<${Dialog} title=${group ? `${verb} a group` : `${verb} all that match`} onClose=${onClose} wide><form onSubmit=${submit}><div class="dialog-body">
    <${Fetched} from=${from} rows=${3}>${(data) => html`<p class="preview-count"><b class="num">${count}</b> ${data.count === 1 && !data.more ? "job" : "jobs"} <span class="soft">${what}.</span></p>
      ${group && html`<p class="soft breaks isolate"><b>${group.type}</b> ${group.shape}</p>`}${search && html`<p class="soft">Search: <code class="breaks isolate">${search}</code></p>`}
      ${data.by_kind.length > 1 && html`<ul class="by-kind">${data.by_kind.map((row) => html`<li><span class="cut isolate">${row.kind}</span><${Meter} value=${row.count} most=${data.count} label=${`${row.count} of ${row.kind}`} /><span class="num">${number(row.count)}</span></li>`)}</ul>`}
      ${data.samples.length > 0 && html`<div><h3>For example</h3><ul class="samples">${data.samples.map((job) => html`<li><span class="mono faint">${shortId(job.id)}</span><span class="isolate">${job.kind}</span><${State} of=${job.state} /><span class="soft cut isolate grow">${job.error?.message}</span><${Time} at=${job.finished_at ?? job.created_at} /></li>`)}</ul></div>`}
      ${(data.notes ?? []).map((note) => html`<p class="soft small">${note}</p>`)}`}<//>
    <label class="field"><span>Reason <i>kept in the audit log</i></span><input required maxlength="500" autocomplete="off" autofocus value=${reason} onInput=${(event) => setReason(event.target.value)} placeholder="What made you do this" /></label>
    ${error && html`<p class="bad breaks" role="alert">${error.message} ${error.advice}</p>`}</div>
    <footer><button type="button" onClick=${onClose}>Not now</button><button class=${action === "retry" ? "primary" : "danger solid"} disabled=${busy || !reason.trim() || !from.data?.count}>${busy ? "One moment …" : from.data ? `${verb} ${count}` : verb}</button></footer></form><//>`;
}
