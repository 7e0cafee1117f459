// 3 Job: why it is where it is, its life as a timeline, payload and result exactly, logs, steps, audit, what it belongs to.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";

import { rpc } from "../lib/api.js";
import { bytes, clock, duration, exact, words } from "../lib/format.js";
import { Icon } from "../lib/icons.js";
import { now, start, watch, watched } from "../lib/live.js";
import { href } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useKeys, useRpc, useTitle } from "../lib/use.js";
import { Action, confirm, mayAct } from "../parts/act.js";
import { Copy, Empty, Facts, Fetched, Id, Panel, Progress, State, Tabs, Time } from "../parts/bits.js";
import { Tree } from "../parts/tree.js";
import { EnqueueDialog } from "./enqueue.js";
import { actOnJobs } from "./jobs.js";

const TONES = { completed: "good", started: "run", invoked: "idle", failed: "bad", died: "bad", lost: "bad", retrying: "warn", cancelled: "idle" };

const STEP_TONES = { finished: "good", sleeping: "idle", waiting: "run", timed_out: "warn" };

function Explain({ explain, state }) {
  if (!explain) return null;
  const tone = ["completed"].includes(state) ? "good" : state === "failed" ? "bad" : state === "processing" ? "run" : explain.reasons[0]?.code === "ready" ? "run" : "warn";
  const [first, ...others] = explain.reasons;
  return html`<section class=${`explain ${tone}`} aria-label="Why it is where it is"><p class="explain-main breaks isolate">${explain.sentence ?? first?.sentence}${first?.until && html` <span class="soft">(<${Time} at=${first.until} />)</span>`}</p>
    ${others.length > 0 && html`<ul>${others.map((reason) => html`<li class="breaks isolate">${reason.sentence}</li>`)}</ul>`}</section>`;
}

function Timeline({ events, job }) {
  const first = events[0] && new Date(events[0].at).getTime();
  return html`<ol class="timeline">${events.map((event, at) => {
    const before = at > 0 ? new Date(event.at).getTime() - new Date(events[at - 1].at).getTime() : 0;
    const running = event.event === "started" && at === events.length - 1 && job.state === "processing";
    return html`<li class=${running ? "run live" : TONES[event.event] ?? "idle"}><span class="mark-dot" aria-hidden="true" /><div class="grow"><div class="row tight"><b>${words(event.event)}</b>${event.attempt ? html`<span class="soft">attempt ${event.attempt}</span>` : ""}
        ${event.ms !== null && event.ms !== undefined && html`<span class="took num">${duration(event.ms)}</span>`}${running && html`<span class="took num">${duration(now.value - new Date(event.at).getTime())} so far</span>`}</div>
      ${event.detail && html`<p class="soft breaks isolate">${event.detail}</p>`}${event.worker && html`<p class="faint small cut isolate" title=${event.worker}>by ${event.worker}</p>`}
      ${event.until && html`<p class="faint small">until <${Time} at=${event.until} /></p>`}</div>
      <div class="when"><span class="num" title=${exact(event.at)}>${clock(event.at)}</span><span class="faint small num">${at === 0 ? html`<${Time} at=${event.at} />` : `+${duration(before < 0 ? new Date(event.at).getTime() - first : before)}`}</span></div></li>`;
  })}</ol>`;
}

function Errors({ errors }) {
  return html`<ol class="errors">${errors.map((error, at) => html`<li><details open=${at === errors.length - 1}><summary><b class="error-type isolate">${error.type ?? "error"}</b> <span class="breaks isolate">${error.message}</span></summary>
    <p class="faint small">Attempt ${error.attempt}, <${Time} at=${error.at} />${error.worker ? html`, by <span class="isolate">${error.worker}</span>` : ""}${error.http_status ? `, HTTP ${error.http_status}` : ""}${error.provider ? `, ${error.provider}` : ""}${error.retryable === false ? ", not to be retried" : ""}</p>
    ${error.stack && html`<pre class="stack-trace isolate" tabindex="0" aria-label="Stack">${error.stack}</pre>`}</details></li>`)}</ol>`;
}

function Logs({ logs }) {
  const [level, setLevel] = useState("debug");
  const order = ["debug", "info", "warn", "error"];
  const lines = logs.lines.filter((line) => order.indexOf(line.level) >= order.indexOf(level));
  return html`<${Panel} title="Logs" note=${`${logs.lines.length}${logs.more ? "+" : ""}`} flush actions=${html`<${Tabs} label="Least level" chosen=${level} onChoose=${setLevel} tabs=${[["debug", "All"], ["info", "Info"], ["warn", "Warnings"], ["error", "Errors"]]} />`}>
    <ol class="logs" tabindex="0" aria-label="Lines of the log">${lines.map((line) => html`<li class=${line.level}><span class="num faint" title=${exact(line.at)}>${clock(line.at)}</span><span class="level">${line.level}</span><span class="num faint" title="Attempt">${line.attempt}</span>
      <span class="breaks isolate">${line.message}${line.data_text && line.data_text !== "null" ? html` <span class="soft isolate">${line.data_text}</span>` : ""}</span></li>`)}</ol>
    ${logs.more && html`<p class="further faint">There are more lines; the newest are shown.</p>`}<//>`;
}

function Steps({ steps }) {
  return html`<${Panel} title="Steps" note=${String(steps.length)} flush><ol class="steps">${steps.map((step) => html`<li><${State} of=${step.state} tone=${STEP_TONES[step.state]} /><div class="grow cut"><span class="mono isolate">${step.name}</span>
      ${step.event && html`<span class="soft isolate"> event ${step.event}</span>`}${step.until && html`<span class="soft"> until <${Time} at=${step.until} /></span>`}${step.result_text && html`<p class="faint small mono isolate cut" title=${step.result_text}>${step.result_text}</p>`}</div>
      <span class="soft nowrap">attempt ${step.attempt}</span><${Time} at=${step.at} /></li>`)}</ol><//>`;
}

function Content({ data, job, onReveal, shown }) {
  const tabs = [["payload", "Payload"], ...(data.result_text && data.result_text !== "null" ? [["result", "Result"]] : [])];
  const [tab, setTab] = useState("payload");
  const of = shown ?? data;
  const masked = !shown && data[`${tab}_masked`];
  return html`<${Panel} title="Content" note=${bytes(of[`${tab}_bytes`])} actions=${html`${masked && html`<${Action} needs="admin" icon="eye" label="Reveal" onClick=${onReveal} />`}${tabs.length > 1 && html`<${Tabs} label="Content" tabs=${tabs} chosen=${tab} onChoose=${setTab} />`}`}>
    ${masked && html`<p class="masked"><${Icon} name="eye" />The values of ${job.kind} are masked. Keys and types are shown; revealing needs the role admin, and is written down.</p>`}
    <${Tree} key=${`${tab}${Boolean(shown)}`} text=${of[`${tab}_text`]} label=${tab} cut=${of[`${tab}_cut`]} /><//>`;
}

export function AuditRows({ rows }) {
  if (!rows.length) return html`<p class="faint small pad">Nobody has acted on it.</p>`;
  return html`<ol class="audit-rows">${rows.map((row) => html`<li><div class="row tight"><b>${words(row.action.toLowerCase())}</b><span class="soft cut isolate">${row.email ?? row.actor ?? row.actor_role}</span><span class="space" /><span class="small faint"><${Time} at=${row.at} /></span></div>${row.reason && html`<p class="soft breaks isolate">${row.reason}</p>`}</li>`)}</ol>`;
}

const traceId = (traceparent) => traceparent?.split("-")[1] ?? null;

function Job({ args }) {
  const id = args[0] ?? "";
  const from = useRpc("console_job", { p_id: id }, { every: 4 });
  const [shown, setShown] = useState(/** @type {any} */ (null));
  const [edit, setEdit] = useState(false);
  const job = from.data?.job;
  useTitle(job ? `${job.kind}` : "Job");
  useEffect(() => {
    watch([id]);
    return () => watch([]);
  }, [id]);
  const change = watched.value[id]?.join();
  useEffect(() => void (change && from.reload()), [change]);
  const may = from.data?.actions ?? {};
  const doing = (verb) => actOnJobs(verb, [id], from.reload);
  const reveal = () => confirm({ title: "Reveal what this job carries?", body: "You will see the values of its payload, its result and its logs. An audit row says that you did.", verb: "Reveal",
    run: async (reason) => { setShown(await rpc("console_reveal", { p_id: id, p_reason: reason })); from.reload(); } });
  useKeys(job ? { r: { label: "Retry", run: () => may.retry && mayAct() && doing("retry") }, c: { label: "Cancel", run: () => may.cancel && mayAct() && doing("cancel") }, e: { label: "Edit and enqueue as new", run: () => mayAct() && setEdit(true) } } : {});
  return html`<${Fetched} from=${from} rows=${8}>${(data) => (!data.job
    ? html`<${Empty} icon="search" title="There is no such job"><p>It never existed, or its retention is over. <a href=${href("jobs")}>To the jobs</a></p><//>`
    : html`<div class="stack"><header class="head"><div class="grow"><div class="row"><${State} of=${job.state} label=${job.cancel_requested && job.state === "processing" ? "being cancelled" : undefined} /><span class="mono breaks">${job.id}</span><${Copy} text=${job.id} label="Copy the id" /></div>
        ${job.name && html`<p class="soft breaks isolate">${job.name}</p>`}</div>
      <div class="row"><${Action} icon="retry" label="Retry" hot="r" primary=${job.state === "failed"} disabled=${!may.retry} why="Only dead letters and jobs that wait are retried" onClick=${() => doing("retry")} />
        <${Action} icon="cancel" label="Cancel" hot="c" disabled=${!may.cancel} why="It has ended" onClick=${() => doing("cancel")} />
        ${may.discard && html`<${Action} icon="trash" label="Discard" danger onClick=${() => doing("discard")} />`}
        <${Action} icon="edit" label="Edit and enqueue" hot="e" disabled=${!may.enqueue} onClick=${() => setEdit(true)} /></div></header>
    ${job.state === "processing" && job.progress > 0 && html`<${Progress} value=${job.progress} label=${`${job.progress}% done`} />`}
    <${Explain} explain=${data.explain} state=${job.state} />
    <div class="columns"><div class="stack"><${Panel} title="Life" note=${job.finished_at ? `${duration(new Date(job.finished_at).getTime() - new Date(job.created_at).getTime())} from enqueue to end` : ""}><${Timeline} events=${data.timeline} job=${job} /><//>
        ${data.steps.length > 0 && html`<${Steps} steps=${data.steps} />`}
        ${data.errors.length > 0 && html`<${Panel} title="Errors" note=${String(data.errors.length)}><${Errors} errors=${data.errors} /><//>`}
        <${Content} data=${data} job=${job} shown=${shown} onReveal=${reveal} />
        ${data.logs.lines.length > 0 && html`<${Logs} logs=${shown?.logs ? { ...data.logs, lines: shown.logs.lines ?? shown.logs } : data.logs} />`}</div>
      <div class="stack"><${Panel} title="Facts"><${Facts} rows=${[["Kind", html`<a href=${href("jobs", [], { q: `kind:${job.kind}` })}>${job.kind}</a>`], ["Queue", html`<a href=${href("queue", [job.queue])}>${job.queue}</a>`],
          ["Attempt", `${job.attempt} of ${job.max_attempts}`], job.lease_losses > 0 && ["Leases lost", job.lease_losses], ["Priority", job.priority], ["Created", html`<${Time} at=${job.created_at} />`], ["Due", html`<${Time} at=${job.run_at} />`],
          job.started_at && ["Started", html`<${Time} at=${job.started_at} />`], job.finished_at && ["Finished", html`<${Time} at=${job.finished_at} />`], job.duration_ms !== null && ["Took", duration(job.duration_ms)], job.lease_until && ["Lease until", html`<${Time} at=${job.lease_until} />`],
          job.worker && ["Worker", html`<a href=${href("jobs", [], { q: `worker:"${job.worker}"` })}>${job.worker}</a>`], job.owner && ["Owner", html`<${Id} id=${job.owner} to=${href("jobs", [], { q: `owner:${job.owner}` })} />`],
          job.group_key && ["Group", html`<a href=${href("jobs", [], { q: `group:"${job.group_key}"` })}>${job.group_key}</a>`], job.category && ["Category", job.category], job.dedupe_key && ["Dedupe key", html`<span class="mono">${job.dedupe_key}</span>`],
          job.correlation_id && ["Correlation", html`<a class="mono" href=${href("jobs", [], { q: `correlation:"${job.correlation_id}"` })}>${job.correlation_id}</a>`], job.traceparent && ["Trace", html`<span class="row tight"><span class="mono breaks">${traceId(job.traceparent)}</span><${Copy} text=${traceId(job.traceparent)} label="Copy the trace id" /></span>`],
          job.expires_at && ["Kept until", html`<${Time} at=${job.expires_at} />`]]} /><//>
        ${(data.links.length > 0 || data.workflow) && html`<${Panel} title="Belongs together" flush><ul class="links">${data.workflow && start.value.parts.includes("workflows") && html`<li><${Icon} name="workflows" /><a class="grow" href=${href("workflow", [data.workflow])}>The workflow</a></li>`}
          ${data.links.map((link) => html`<li><${Icon} name="link" /><a class="grow cut isolate" href=${href("job", [link.id])}>${link.kind}</a><span class="faint small">${link.relation}</span><${State} of=${link.state} /></li>`)}</ul><//>`}
        <${Panel} title="Audit" flush><${AuditRows} rows=${data.audit} /><//></div></div>
    ${edit && html`<${EnqueueDialog} from=${{ job, text: (shown ?? data).payload_text, masked: data.payload_masked && !shown, cut: (shown ?? data).payload_cut }} onClose=${() => setEdit(false)} />`}</div>`)}<//>`;
}

register({ name: "job", label: "Job", icon: "jobs", group: "Work", unlisted: true, view: Job });
