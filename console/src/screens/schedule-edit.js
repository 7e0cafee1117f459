// Adding and editing a schedule: the expression is said in words, and its next times are asked from the database while it is typed.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";

import { rpc } from "../lib/api.js";
import { cronInWords } from "../lib/cron.js";
import { here, seconds } from "../lib/format.js";
import { checkJson } from "../lib/json.js";
import { start } from "../lib/live.js";
import { Dialog, say } from "../parts/act.js";
import { Tabs } from "../parts/bits.js";
import { NextTimes } from "./schedules.js";

const PAUSE = 250;
const ZONES = typeof Intl.supportedValuesOf === "function" ? Intl.supportedValuesOf("timeZone") : [];
const EXAMPLES = [["*/15 * * * *", "every 15 minutes"], ["0 9 * * 1-5", "weekdays at nine"], ["30 2 * * *", "every night"], ["0 0 1 * *", "monthly"]];

/** @param {{schedule: any, onClose: () => void, onSaved: (name: string) => void}} props  an empty schedule: a new one */
export function ScheduleDialog({ schedule, onClose, onSaved }) {
  const isNew = !schedule.name;
  const [byInterval, setByInterval] = useState(!isNew && !schedule.expression);
  const [every, setEvery] = useState(schedule.every_seconds ?? 300);
  const [expression, setExpression] = useState(schedule.expression ?? "0 9 * * 1-5");
  const [timezone, setTimezone] = useState(schedule.timezone ?? here);
  // A masked payload cannot be edited; an empty field keeps it.
  const [payload, setPayload] = useState(schedule.payload_masked ? "" : (checkJson(schedule.payload_text ?? '{"scheduled": true}').text ?? "{}"));
  const [kind, setKind] = useState(schedule.kind ?? "");
  const [preview, setPreview] = useState(/** @type {any} */ (null));
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const keeps = schedule.payload_masked && payload.trim() === "";
  const checked = keeps ? { text: undefined } : checkJson(payload, { object: true });
  useEffect(() => {
    let current = true;
    if (byInterval) return undefined;
    const timer = setTimeout(async () => {
      const answer = await rpc("console_preview_schedule", { p_expression: expression.trim(), p_timezone: timezone.trim() }).catch((failure) => ({ failure }));
      if (current) setPreview(answer);
    }, PAUSE);
    return () => { current = false; clearTimeout(timer); };
  }, [expression, timezone, byInterval]);
  const submit = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    setBusy(true);
    try {
      const name = schedule.name ?? String(form.get("name")).trim();
      await rpc("console_save_schedule", { p_schedule: { name, description: form.get("description"), ...(byInterval ? { every_seconds: Number(every), expression: null } : { expression: expression.trim(), timezone: timezone.trim(), every_seconds: null }),
        kind, ...(keeps ? {} : { payload_text: checked.text }), overlap: form.get("overlap"), catch_up: form.get("catch_up") }, p_reason: form.get("reason") });
      say(`${name} is ${isNew ? "added" : "changed"}.`);
      onSaved(name);
    } catch (failure) {
      setError([failure.message, failure.advice].filter(Boolean).join(" "));
      setBusy(false);
    }
  };
  const said = cronInWords(expression);
  return html`<${Dialog} title=${isNew ? "New schedule" : `Edit ${schedule.name}`} onClose=${onClose} wide><form onSubmit=${submit}><div class="dialog-body">
    ${isNew && html`<label class="field"><span>Name</span><input name="name" required maxlength="63" autocomplete="off" spellcheck="false" autofocus placeholder="nightly_report" /></label>`}
    <${Tabs} label="How it recurs" chosen=${byInterval ? "interval" : "cron"} onChoose=${(how) => setByInterval(how === "interval")} tabs=${[["cron", "At times"], ["interval", "By an interval"]]} />
    ${byInterval ? html`<label class="field"><span>Every <i>seconds, from when it was made</i></span><input type="number" min="1" required value=${every} onInput=${(event) => setEvery(event.target.value)} /></label><p class="soft">Every ${seconds(every)}.</p>` : html`<div class="pair"><label class="field"><span>When <i>minute hour day month weekday</i></span><input class="mono" required maxlength="200" spellcheck="false" autocomplete="off" value=${expression} onInput=${(event) => setExpression(event.target.value)} aria-describedby="in-words" /></label>
      <label class="field"><span>Time zone</span><input required list="zones" spellcheck="false" autocomplete="off" value=${timezone} onInput=${(event) => setTimezone(event.target.value)} /><datalist id="zones">${ZONES.map((zone) => html`<option value=${zone} />`)}</datalist></label></div>
    <div class="chips">${EXAMPLES.map(([example, label]) => html`<button type="button" class="chip" onClick=${() => setExpression(example)}>${label}</button>`)}</div>
    <div class="preview-times"><p id="in-words"><b>${said || html`<span class="faint">Not in words</span>`}</b></p>${preview?.failure ? html`<p class="bad breaks" role="alert">${preview.failure.message} ${preview.failure.advice}</p>` : preview ? html`<${NextTimes} next=${preview.next} timezone=${timezone} />` : html`<p class="faint">…</p>`}</div>`}
    <label class="field"><span>Kind <i>what it enqueues</i></span><select required value=${kind} onChange=${(event) => setKind(event.target.value)}><option value="" disabled>Choose one</option>${start.value.kinds.map((row) => html`<option value=${row.kind}>${row.kind}</option>`)}</select></label>
    <label class="field"><span>Payload <i>${schedule.payload_masked ? "masked; empty keeps it" : "JSON; large numbers stay exact"}</i></span><textarea rows="4" spellcheck="false" value=${payload} onInput=${(event) => setPayload(event.target.value)} /></label>${checked.error && html`<p class="warn small">${checked.error}</p>`}
    <div class="pair"><label class="field"><span>If the last one still runs</span><select name="overlap"><option value="skip" selected=${schedule.overlap !== "queue"}>leave this time out</option><option value="queue" selected=${schedule.overlap === "queue"}>enqueue it behind</option></select></label>
      <label class="field"><span>Times missed in a downtime</span><select name="catch_up">${[["none", "are left out"], ["once", "run once"], ["all", "run all, up to a bound"]].map(([value, label]) => html`<option value=${value} selected=${schedule.catch_up === value}>${label}</option>`)}</select></label></div>
    <label class="field"><span>Description</span><input name="description" maxlength="500" autocomplete="off" value=${schedule.description ?? ""} /></label>
    <label class="field"><span>Reason <i>kept in the audit log</i></span><input name="reason" required maxlength="500" autocomplete="off" /></label>
    ${error && html`<p class="bad breaks" role="alert">${error}</p>`}</div>
    <footer><button type="button" onClick=${onClose}>Not now</button><button class="primary" disabled=${busy || Boolean(checked.error) || (!byInterval && Boolean(preview?.failure))}>${busy ? "One moment …" : isNew ? "Add" : "Save"}</button></footer></form><//>`;
}
