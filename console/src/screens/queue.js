// 4 Queue: how it is doing, who waits in it, what its provider admits, and every option with what it does.
import { html } from "htm/preact";

import { rpc } from "../lib/api.js";
import { compact, duration, number, percent, seconds } from "../lib/format.js";
import { minutesNow, now, queuesNow } from "../lib/live.js";
import { go, href, setQuery } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useKeys, useRpc, useTitle } from "../lib/use.js";
import { Action, confirm, mayAct } from "../parts/act.js";
import { Empty, Facts, Fetched, Meter, Panel, Stat, State, Tabs, Time } from "../parts/bits.js";
import { Chart } from "../parts/chart.js";
import { Options } from "./queue-options.js";
import { bounded } from "./overview.js";

/** A tenant is the owner of its jobs, or "group NAME" without one. */
const ofTenant = (tenant) => (tenant.startsWith("group ") ? `group:"${tenant.slice(6)}"` : `owner:${tenant}`);

function Tenants({ tenants, queue }) {
  if (!tenants.rows.length) return html`<${Empty} icon="queue" title="Nobody waits here"><p>${tenants.fair ? "Tenants take turns here. They appear once they have jobs." : "Set dequeue to fair and tenants take turns by virtual time."}</p><//>`;
  const most = Math.max(1, ...tenants.rows.map((row) => row.pending + row.running));
  return html`<table class="tenants" aria-label="Turns of tenants"><thead><tr><th scope="col">Tenant</th><th scope="col">Waiting and running</th><th scope="col" class="right" title="How many jobs it was served more than the one that goes next">Ahead</th></tr></thead>
    <tbody>${tenants.rows.map((row) => html`<tr><th scope="row"><a class="cut isolate mono" href=${href("jobs", [], { q: `queue:${queue} ${ofTenant(row.tenant)}` })} title=${row.tenant}>${row.tenant}</a></th>
      <td><div class="turn" role="img" aria-label=${`${row.running} running, ${bounded(row.pending, row.pending_more)} waiting`}><i class="run" style=${{ width: `${(row.running / most) * 70}%` }} /><i class="wait" style=${{ width: `${(row.pending / most) * 70}%` }} /><span class="num small">${row.running > 0 && html`<b>${compact(row.running)}</b> · `}${bounded(row.pending, row.pending_more)}</span></div></td>
      <td class="right num">${row.behind === 0 ? html`<span class="good nowrap">goes next</span>` : number(row.behind)}</td></tr>`)}</tbody></table>
    ${tenants.more && html`<p class="further faint">There are more tenants.</p>`}`;
}

function Gauge({ measure }) {
  const used = measure.used ?? 0;
  const reserved = measure.reserved ?? 0;
  const share = measure.limit > 0 ? Math.min(1, (used + reserved) / measure.limit) : 0;
  const tone = share >= 1 ? "bad" : share > 0.8 ? "warn" : "run";
  const round = Math.PI * 34;
  return html`<div class="gauge"><svg viewBox="0 0 88 52" role="img" aria-label=${`${measure.name.replace(/_/g, " ")}: ${number(used)} of ${number(measure.limit)} used, ${number(measure.free)} free`}><path class="gauge-track" d="M10 46a34 34 0 0 1 68 0" />
    <path class=${`gauge-fill ${tone}`} d="M10 46a34 34 0 0 1 68 0" stroke-dasharray=${`${(share * round).toFixed(1)} 200`} /><text x="44" y="43" text-anchor="middle">${percent(share)}</text></svg>
    <div class="gauge-name">${measure.name.replace(/_/g, " ")}</div><div class="faint small num">${compact(used)}${reserved ? ` + ${compact(reserved)} reserved` : ""} of ${compact(measure.limit)} · ${compact(measure.free)} free</div></div>`;
}

function Limit({ limit }) {
  return html`<${Panel} title="Provider's limit" note=${[limit.provider, limit.endpoint].filter(Boolean).join(" / ")}><div class="gauges">${limit.measures.filter((measure) => measure.limit).map((measure) => html`<${Gauge} measure=${measure} />`)}</div>
    <p class=${limit.room_at || limit.blocked_until ? "warn" : "soft"}>${limit.blocked_until ? html`Blocked by the provider; there is room again <${Time} at=${limit.blocked_until} />.` : limit.room_at ? html`Full; there is room again <${Time} at=${limit.room_at} />.` : "There is room now."}</p><//>`;
}

const INVOCATION = { wake: "a job was enqueued", pump: "found by the pump", more: "work remained" };
function Invocations({ rows }) {
  if (!rows.length) return html`<p class="faint small pad">No invocation is remembered.</p>`;
  return html`<ol class="events">${rows.map((row) => html`<li class=${row.failure ? "bad" : ""}><span class="grow breaks isolate">${row.failure ?? (row.ended_at ? `claimed ${number(row.claimed ?? 0)}` : row.begun_at ? "running" : "asked for")}</span>
    <span class="faint small nowrap" title=${INVOCATION[row.reason] ?? ""}>${row.reason}${row.ended_at ? `, ${duration(new Date(row.ended_at).getTime() - new Date(row.asked_at).getTime())}` : ""}</span><span class="small soft"><${Time} at=${row.asked_at} /></span></li>`)}</ol>`;
}

export const BreakerChanges = ({ rows }) => (rows.length ? html`<ol class="events">${rows.map((row) => html`<li><${State} of=${row.state} tone=${{ open: "bad", half_open: "warn", closed: "good" }[row.state]} /><span class="grow soft breaks isolate">${row.target ? `${row.target}. ` : ""}${row.reason}</span><span class="small soft"><${Time} at=${row.at} /></span></li>`)}</ol>`
  : html`<p class="faint small pad">The breaker has not opened.</p>`);

const QUIET = Array(60).fill(0);
const NO_HOUR = { completed: 0, failed: 0, dead: 0, failure_share: 0, p50_ms: null, p95_ms: null };

function Queue({ args, query }) {
  const name = args[0] ?? "";
  useTitle(name);
  const from = useRpc("console_queue", { p_queue: name }, { every: 6 });
  const tab = query.tab ?? "now";
  const choose = (next) => setQuery({ tab: next === "now" ? "" : next });
  const data = from.data;
  const pause = () => confirm(data.paused
    ? { title: `Let ${name} go on?`, body: "Its jobs are claimed again at once.", verb: "Go on", run: (reason) => rpc("console_pause", { p_queue: name, p_paused: false, p_reason: reason }).then(() => from.reload()).then(() => `${name} goes on.`) }
    : { title: `Pause ${name}?`, body: "Nothing more is claimed or invoked. What runs goes on to its end, and new jobs are taken and wait.", verb: "Pause", run: (reason) => rpc("console_pause", { p_queue: name, p_paused: true, p_reason: reason }).then(() => from.reload()).then(() => `${name} is paused.`) });
  const drain = () => confirm(data.draining
    ? { title: `Take new jobs in ${name} again?`, body: "Enqueueing works again at once.", verb: "Take jobs", run: (reason) => rpc("console_drain", { p_queue: name, p_draining: false, p_reason: reason }).then(() => from.reload()).then(() => `${name} takes jobs again.`) }
    : { title: `Drain ${name}?`, body: "New jobs are refused as throttled, and callers try again later. What waits and runs is worked off.", verb: "Drain", danger: true, run: (reason) => rpc("console_drain", { p_queue: name, p_draining: true, p_reason: reason }).then(() => from.reload()).then(() => `${name} drains.`) });
  useKeys({ P: { label: "Pause the queue, or let it go on", run: () => data && mayAct() && pause() }, J: { label: "Jobs of the queue", run: () => go(href("jobs", [], { q: `queue:${name}` })) } });
  return html`<${Fetched} from=${from} rows=${8}>${() => {
    const state = { hour: NO_HOUR, sparkline: { from: new Date(now.value - 3_600_000).toISOString(), completed: QUIET, failed: QUIET }, ...data.state, ...queuesNow.value[name] };
    const breaker = typeof data.breaker === "object" ? data.breaker : null;
    const waited = state.oldest_due ? Math.max(0, (now.value - new Date(state.oldest_due).getTime()) / 1000) : null;
    const { from: begin, completed, failed } = state.sparkline;
    const [good, bad] = [[...completed], [...failed]];
    for (const row of minutesNow.value.filter((minute) => minute.queue === name)) {
      const at = Math.round((new Date(row.minute).getTime() - new Date(begin).getTime()) / 60_000);
      if (at >= 0 && at < good.length) [good[at], bad[at]] = [row.completed, row.failed + (row.dead ?? 0)];
    }
    return html`<div class="stack"><header class="head"><div class="grow"><div class="row">${data.paused ? html`<${State} of="paused" />` : data.draining ? html`<${State} of="draining" />` : html`<${State} of="running" tone="good" label="working" />`}
        ${breaker && breaker.state !== "closed" && html`<${State} of=${breaker.state} tone=${breaker.state === "open" ? "bad" : "warn"} label=${`breaker ${breaker.state.replace("_", " ")}`} />`}
        <span class="soft">${data.served_by === "function" ? html`served by the function <b class="isolate">${data.function ?? data.url}</b>` : data.served_by === "worker" ? "served by workers" : "served by workers of your own"}</span></div>
        ${data.description && html`<p class="soft breaks isolate">${data.description}</p>`}</div>
      <div class="row"><a class="button" href=${href("jobs", [], { q: `queue:${name}` })}>Jobs</a><${Action} icon=${data.paused ? "play" : "pause"} label=${data.paused ? "Go on" : "Pause"} primary=${data.paused} onClick=${pause} /><${Action} icon=${data.draining ? "play" : "door"} label=${data.draining ? "Take jobs" : "Drain"} onClick=${drain} /></div></header>
      ${breaker && breaker.state !== "closed" && html`<p class="banner breaks isolate">${breaker.reason}${breaker.retry_at && html` It is tried again <${Time} at=${breaker.retry_at} />.`}</p>`}
      <div class="stats"><${Stat} label="Due" value=${bounded(state.pending, state.pending_more)} note=${`${bounded(state.waiting, state.waiting_more)} wait for their time`} />
        <${Stat} label="Running" value=${bounded(state.running, state.running_more)} note=${state.cap ? html`of ${number(state.cap)} <${Meter} value=${state.running} most=${state.cap} label=${`${state.running} of ${state.cap}`} />` : "no cap"} />
        <${Stat} label="Oldest due" value=${waited === null ? "–" : seconds(waited)} tone=${waited !== null && waited > state.target_seconds ? "warn" : ""} note=${`aims at ${seconds(state.target_seconds)}`} />
        <${Stat} label="Median, p95" value=${state.hour.p50_ms === null ? "–" : duration(state.hour.p50_ms)} note=${state.hour.p95_ms === null ? "nothing has run" : `p95 ${duration(state.hour.p95_ms)}`} />
        <${Stat} label="Failed attempts" value=${percent(state.hour.failure_share)} tone=${state.hour.failure_share > 0.05 ? "bad" : ""} note=${`${compact(state.hour.failed)} of ${compact(state.hour.completed + state.hour.failed)} in an hour`} />
        <${Stat} label="Dead letters" value=${bounded(state.dead, state.dead_more)} tone=${state.dead ? "bad" : ""} note=${state.dead ? html`<a href=${href("dead", [], { q: `queue:${name}` })}>Look into them</a>` : "none"} /></div>
      <${Tabs} label="Views of the queue" chosen=${tab} onChoose=${choose} tabs=${[["now", "Now"], ["options", "Options"], ["kinds", `Kinds (${data.kinds.length})`]]} />
      ${tab === "options" ? html`<${Options} queue=${name} options=${data.options} onSaved=${from.reload} />` : tab === "kinds" ? html`<${Kinds} kinds=${data.kinds} onSaved=${from.reload} />` : html`<${Panel} title="The last hour" note="jobs per minute"><${Chart} from=${begin} good=${good} bad=${bad} label=${`Jobs of ${name} by minute in the last hour`} /><//>
      <div class="halves">${(data.tenants.fair || data.tenants.rows.length > 0) && html`<${Panel} title="Turns" note=${data.tenants.fair ? "tenants take turns, by virtual time" : "by group"} flush><${Tenants} tenants=${data.tenants} queue=${name} /><//>`}
        ${data.limit && html`<${Limit} limit=${data.limit} />`}
        ${data.served_by === "function" ? html`<${Panel} title="Invocations" flush><${Invocations} rows=${data.invocations} /><//><${Panel} title="Breaker" flush><${BreakerChanges} rows=${data.breaker_changes} /><//>`
        : html`<${Panel} title="Who claims from it" flush>${data.claimants.length ? html`<ol class="events">${data.claimants.map((row) => html`<li><span class="grow cut isolate mono">${row.worker}</span><span class="small soft"><${Time} at=${row.claimed_at} /></span></li>`)}</ol>`
          : html`<${Empty} icon="worker" title="No worker has claimed from it"><p>Start one that serves ${name}: <code>gristmill work</code>, or a worker of your own.</p><//>`}<//>`}</div>`}</div>`;
  }}<//>`;
}

function Kinds({ kinds, onSaved }) {
  const set = (kind) => confirm({ title: kind.sensitive ? `Show the payloads of ${kind.kind} to everybody?` : `Mask the payloads of ${kind.kind}?`, verb: kind.sensitive ? "Show" : "Mask", danger: kind.sensitive,
    body: kind.sensitive ? "Every viewer of the console will see the values of its payloads and results." : "Values are replaced by their types until an admin reveals them.",
    run: (reason) => rpc("console_set_kind", { p_kind: kind.kind, p_sensitive: !kind.sensitive, p_reason: reason }).then(() => onSaved()).then(() => `The payloads of ${kind.kind} are ${kind.sensitive ? "shown" : "masked"}.`) });
  if (!kinds.length) return html`<${Empty} icon="jobs" title="No kind uses this queue"><p>Register a job whose queue it is: <code>register_jobs</code>.</p><//>`;
  return html`<${Panel} title="Kinds" flush><ul class="kinds">${kinds.map((kind) => html`<li><div class="grow"><a class="isolate" href=${href("jobs", [], { q: `kind:${kind.kind}` })}><b>${kind.kind}</b></a> ${kind.has_schema && html`<span class="tag">schema</span>`}
    <p class="soft breaks isolate small">${kind.description}</p></div><${Facts} rows=${[["Attempts", kind.max_attempts ?? "as the queue"], ["First asked for", html`<${Time} at=${kind.first_asked_at} empty="never: no worker handles it" />`]]} />
    <${Action} needs="admin" icon="eye" label=${kind.sensitive ? "Masked" : "Shown"} onClick=${() => set(kind)} /></li>`)}</ul><//>`;
}

register({ name: "queue", label: "Queue", icon: "queue", group: "Work", unlisted: true, view: Queue });
