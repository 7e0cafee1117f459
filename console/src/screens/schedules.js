// 7 Schedules: each in words, its next times in both zones, what its last runs did; run now, pause, add, edit.
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { rpc } from "../lib/api.js";
import { cronInWords } from "../lib/cron.js";
import { duration, exact, here, inZone, number, plural, seconds } from "../lib/format.js";
import { pulse, start } from "../lib/live.js";
import { href, setQuery } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useKeys, useRpc, useTitle } from "../lib/use.js";
import { Action, confirm, mayAct } from "../parts/act.js";
import { Empty, Fetched, Panel, State, Tabs, Time } from "../parts/bits.js";
import { Tree } from "../parts/tree.js";
import { ScheduleDialog } from "./schedule-edit.js";

const CRON = { pg_cron: "run by pg_cron", relay: "run by the relay", triggers: "run by cron triggers", none: "nothing runs them" };

/** Times in the schedule's zone and, where it differs, in the viewer's. */
export function NextTimes({ next, timezone }) {
  const both = timezone && timezone !== here && inZone(new Date().toISOString(), timezone) !== inZone(new Date().toISOString(), here);
  if (!next.length) return html`<p class="faint">It will not run again.</p>`;
  return html`<table class="next"><thead><tr><th scope="col">${timezone ?? "UTC"}</th>${both && html`<th scope="col">${here} (you)</th>`}<th scope="col" class="right">In</th></tr></thead>
    <tbody>${next.map((at) => html`<tr><td class="num nowrap" title=${exact(at)}>${inZone(at, timezone ?? "UTC")}</td>${both && html`<td class="num nowrap">${inZone(at, here)}</td>`}<td class="right soft"><${Time} at=${at} /></td></tr>`)}</tbody></table>`;
}

const Dots = ({ runs }) => html`<span class="run-dots" role="img" aria-label=${runs.length ? `${runs.filter((run) => run.ok).length} of the last ${runs.length} runs went well` : "no run is remembered"}>${[...runs].slice(0, 12).reverse().map((run) => html`<i class=${run.ok ? "good" : "bad"} title=${`${exact(run.at)}${run.detail ? `: ${run.detail}` : ""}`} />`)}</span>`;
const inWords = (schedule) => cronInWords(schedule.expression) || (schedule.every_seconds ? `Every ${seconds(schedule.every_seconds)}` : schedule.expression);

function Row({ schedule, open, onOpen, onChange, onEdit }) {
  const run = () => confirm({ title: `Run ${schedule.name} now?`, body: "It runs once, beside its times.", verb: "Run", run: (reason) => rpc("console_run_schedule", { p_name: schedule.name, p_reason: reason }).then((answer) => { onChange(); return answer.job ? "Its job is enqueued." : "It has run."; }) });
  const pause = () => confirm({ title: schedule.paused ? `Let ${schedule.name} run again?` : `Pause ${schedule.name}?`, body: schedule.paused ? "It runs at its next time." : schedule.critical ? "Gristmill relies on this schedule: without it jobs may stay where they are." : "Its times pass without a run.", danger: !schedule.paused && schedule.critical,
    verb: schedule.paused ? "Go on" : "Pause", run: (reason) => rpc("console_pause_schedule", { p_name: schedule.name, p_paused: !schedule.paused, p_reason: reason }).then((answer) => { onChange(); return `${schedule.name} ${answer.paused ? "is paused" : "goes on"}.`; }) });
  const remove = () => confirm({ title: `Delete ${schedule.name}?`, body: "Its past jobs stay.", verb: "Delete", danger: true, run: (reason) => rpc("console_delete_schedule", { p_name: schedule.name, p_reason: reason }).then(() => { onChange(); return `${schedule.name} is deleted.`; }) });
  const id = `schedule-${schedule.name}`;
  return html`<li class=${`schedule ${open ? "open" : ""}`}><div class="schedule-line"><button type="button" class="ghost fold" aria-expanded=${open} aria-controls=${id} onClick=${onOpen}><span class="caret" aria-hidden="true" />
      <span class="schedule-name"><b class="isolate breaks">${schedule.name}</b><span class="soft">${inWords(schedule)}${schedule.timezone && schedule.timezone !== "UTC" ? html` <span class="faint">${schedule.timezone}</span>` : ""}</span></span></button>
    <span class="schedule-state">${schedule.paused ? html`<${State} of="paused" />` : schedule.late ? html`<${State} of="late" />` : html`<${Dots} runs=${schedule.runs} />`}</span>
    <span class="schedule-time"><span class="faint small">last</span> <${Time} at=${schedule.last_run_at} empty="never" /></span><span class="schedule-time"><span class="faint small">next</span> ${schedule.paused ? html`<span class="faint">paused</span>` : html`<${Time} at=${schedule.next[0]} />`}</span></div>
    ${open && html`<div class="schedule-more" id=${id}><div class="row">${schedule.may.run && html`<${Action} icon="play" label="Run now" onClick=${run} />`}${schedule.may.pause && html`<${Action} icon=${schedule.paused ? "play" : "pause"} label=${schedule.paused ? "Go on" : "Pause"} onClick=${pause} />`}
        ${schedule.may.edit && html`<${Action} icon="edit" label="Edit" onClick=${() => onEdit(schedule)} />`}${schedule.may.delete && html`<${Action} icon="trash" label="Delete" danger onClick=${remove} />`}<span class="space" /><code class="isolate">${schedule.expression}</code></div>
      ${schedule.description && html`<p class="soft breaks isolate">${schedule.description}</p>`}${schedule.reason && html`<p class="warn breaks isolate">${schedule.reason}</p>`}
      <div class="halves"><div><h3>Next times</h3><${NextTimes} next=${schedule.paused ? [] : schedule.next} timezone=${schedule.timezone} /></div>
        <div><h3>Last runs</h3>${schedule.runs.length ? html`<ol class="events">${schedule.runs.slice(0, 8).map((row) => html`<li><${State} of=${row.ok ? "ok" : "failed"} label=${row.ok ? "ok" : "failed"} /><span class="grow soft breaks isolate">${row.job ? html`<a href=${href("job", [row.job])}>its job</a> ` : ""}${row.detail ?? ""}</span><span class="faint small num">${row.ms === null ? "" : duration(row.ms)}</span><span class="small soft"><${Time} at=${row.at} /></span></li>`)}</ol>` : html`<p class="faint">No run is remembered.</p>`}</div>
        ${schedule.kind && html`<div><h3>What it enqueues</h3><p><a class="isolate" href=${href("jobs", [], { q: `kind:${schedule.kind}` })}>${schedule.kind}</a></p><${Tree} text=${schedule.payload_text ?? JSON.stringify(schedule.payload ?? {})} label="payload of the schedule" /></div>`}</div></div>`}</li>`;
}

function Schedules({ query }) {
  useTitle("Schedules");
  const from = useRpc("console_schedules", {}, { every: 10 });
  const [edit, setEdit] = useState(/** @type {any} */ (null));
  const mayAdd = Boolean(start.value.may?.schedule);
  const owner = query.of ?? "";
  useKeys(mayAdd ? { n: { label: "New schedule", run: () => mayAct() && setEdit({}) } } : {});
  return html`<${Fetched} from=${from} rows=${8}>${(data) => {
    const list = data.schedules.filter((schedule) => !owner || schedule.owner === owner);
    const late = data.schedules.filter((schedule) => schedule.late && !schedule.paused).length;
    return html`<div class="stack"><div class="row"><${Tabs} label="Whose" chosen=${owner} onChoose=${(of) => setQuery({ of })} tabs=${[["", "All"], ["user", "Yours"], ["gristmill", "Gristmill's"]]} /><span class=${data.cron === "none" ? "bad" : "soft"}>${plural(list.length, "schedule")}, ${CRON[data.cron] ?? data.cron}${late ? html`, <b class="bad">${number(late)} late</b>` : ""}</span><span class="space" />
      ${mayAdd && html`<${Action} icon="plus" label="New schedule" primary hot="n" onClick=${() => setEdit({})} />`}</div>
      <${Panel} title="Schedules" flush>${list.length ? html`<ul class="schedules">${list.map((schedule) => html`<${Row} key=${schedule.name} schedule=${schedule} open=${query.open === schedule.name} onOpen=${() => setQuery({ open: query.open === schedule.name ? "" : schedule.name })} onChange=${from.reload} onEdit=${setEdit} />`)}</ul>`
        : html`<${Empty} icon="schedules" title="No schedule of yours yet"><p>${mayAdd ? "Press n to add one: a kind, a payload, and when." : "Schedules are defined beside your jobs; see docs/typescript.md."}</p><//>`}<//>
      ${edit && html`<${ScheduleDialog} schedule=${edit} onClose=${() => setEdit(null)} onSaved=${(name) => { setEdit(null); setQuery({ open: name }); from.reload(); }} />`}</div>`;
  }}<//>`;
}

register({ name: "schedules", label: "Schedules", icon: "schedules", key: "s", group: "Work", view: Schedules,
  badge: () => (pulse.value.schedules_late ? { count: pulse.value.schedules_late, tone: "warn", label: plural(pulse.value.schedules_late, "schedule is late", "schedules are late") } : null) });
