// 1 Overview: what runs, what waits, what fails, who works, and what has to be looked at.
import { html } from "htm/preact";

import { compact, number, percent, plural, seconds } from "../lib/format.js";
import { Icon } from "../lib/icons.js";
import { minutesNow, now, pulse, queuesNow } from "../lib/live.js";
import { href } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useRpc, useTitle } from "../lib/use.js";
import { Empty, FailureShare, Fetched, Meter, Panel, Spark, Stat, State, Time } from "../parts/bits.js";
import { Chart } from "../parts/chart.js";
import { Table } from "../parts/table.js";

/** "1,000+" where counting stopped. */
export const bounded = (n, more) => (n === null || n === undefined ? "–" : `${compact(n)}${more ? "+" : ""}`);
const sum = (list) => list.reduce((total, n) => total + (n ?? 0), 0);

/** The queue with what pulses have said since it was fetched. */
function current(queue, fetched) {
  const minutes = minutesNow.value.filter((row) => row.queue === queue.queue);
  const { from, completed, failed } = queue.sparkline;
  const begin = new Date(from).getTime();
  const [good, bad] = [[...completed], [...failed]];
  for (const row of minutes) {
    const at = Math.round((new Date(row.minute).getTime() - begin) / 60_000);
    if (at >= 0 && at < good.length) [good[at], bad[at]] = [row.completed, row.failed + (row.dead ?? 0)];
  }
  return { ...queue, ...(queuesNow.value[queue.queue] && fetched ? queuesNow.value[queue.queue] : {}), sparkline: { from, completed: good, failed: bad } };
}

const age = (at) => (at ? Math.max(0, (now.value - new Date(at).getTime()) / 1000) : null);

function QueueState({ queue }) {
  const broken = typeof queue.breaker === "string" ? { state: queue.breaker } : queue.breaker;
  if (queue.paused) return html`<${State} of="paused" />`;
  if (queue.draining) return html`<${State} of="draining" />`;
  if (broken && broken.state !== "closed") return html`<${State} of=${broken.state} tone=${broken.state === "open" ? "bad" : "warn"} label=${`breaker ${broken.state.replace("_", " ")}`} />`;
  return null;
}

const COLUMNS = [
  { name: "queue", label: "Queue", main: true, cell: (queue) => html`<div class="queue-name"><a class="open isolate" href=${href("queue", [queue.queue])} title=${queue.description}>${queue.queue}</a><${QueueState} queue=${queue} /></div>` },
  { name: "hour", label: "Last hour", cell: (queue) => html`<${Spark} good=${queue.sparkline.completed} bad=${queue.sparkline.failed} label=${`${number(sum(queue.sparkline.completed))} completed, ${number(sum(queue.sparkline.failed))} failed in the last hour`} />` },
  { name: "pending", label: "Due", align: "right", cell: (queue) => html`<span class=${`num ${queue.pending ? "" : "faint"}`}>${bounded(queue.pending, queue.pending_more)}</span>` },
  { name: "oldest", label: "Oldest due", align: "right", cell: (queue) => {
    const waited = age(queue.oldest_due);
    return html`<span class=${`num nowrap ${waited === null ? "faint" : waited > (queue.target_seconds ?? 60) ? "warn" : ""}`} title=${queue.oldest_due ?? ""}>${waited === null ? "–" : seconds(waited)}</span>`;
  } },
  { name: "running", label: "Running", align: "right", cell: (queue) => html`<span class="run-of"><span class="num nowrap">${bounded(queue.running, queue.running_more)}${queue.cap ? html`<span class="faint"> of ${number(queue.cap)}</span>` : ""}</span>
    ${queue.cap && html`<${Meter} value=${queue.running} most=${queue.cap} tone=${queue.running >= queue.cap ? "warn" : "run"} label=${`${queue.running} of ${queue.cap} running`} />`}</span>` },
  { name: "p95", label: "p95", align: "right", cell: (queue) => html`<span class="num nowrap soft">${seconds(queue.hour.p95_ms === null ? null : queue.hour.p95_ms / 1000)}</span>` },
  { name: "failures", label: "Failures", align: "right", cell: (queue) => html`<${FailureShare} share=${queue.hour.failure_share} />` },
  { name: "dead", label: "Dead", align: "right", cell: (queue) => (queue.dead ? html`<a class="num bad" href=${href("dead", [], { q: `queue:${queue.queue}` })} aria-label=${`${queue.dead} dead letters of ${queue.queue}`}>${bounded(queue.dead, queue.dead_more)}</a>` : html`<span class="faint num">0</span>`) },
];

function Alerts({ alerts, late }) {
  if (!alerts.length && !late.length) return null;
  return html`<ul class="alerts" aria-label="What needs attention">${alerts.map((alert) => html`<li class=${alert.state === "firing" ? "bad" : "warn"}><${Icon} name="bell" /><div class="grow"><b class="breaks isolate">${alert.description || alert.rule}</b>
      <span class="soft breaks isolate"> ${alert.subject ? `${alert.subject}: ` : ""}${number(alert.value)}, the threshold is ${number(alert.threshold)}</span></div><span class="small">${alert.severity}</span><${Time} at=${alert.since} /></li>`)}
    ${late.map((schedule) => html`<li class="warn"><${Icon} name="schedules" /><div class="grow"><b class="isolate">The schedule ${schedule.name} is late</b> <span class="soft breaks">${schedule.reason}</span></div><a href=${href("schedules")}>Schedules</a></li>`)}</ul>`;
}

function Workers({ workers }) {
  if (!workers.length) return html`<${Empty} icon="worker" title="No worker has been here"><p>Queues that functions serve need none. For others, start one: <code>gristmill work</code>.</p><//>`;
  return html`<ul class="workers">${workers.map((worker) => html`<li><span class=${`dot ${worker.alive ? "good" : "bad"}`} role="img" aria-label=${worker.alive ? "alive" : "lost"} /><div class="grow"><div class="cut isolate" title=${worker.worker}>${worker.worker}</div>
    <div class="faint small cut isolate">${worker.queues.join(", ")}</div></div><span class="small soft"><${Time} at=${worker.seen_at} /></span></li>`)}</ul>`;
}

function Overview() {
  useTitle("Overview");
  const from = useRpc("console_overview", {}, { every: 15 });
  return html`<${Fetched} from=${from} rows=${8}>${(data) => {
    const queues = data.queues.map((queue) => current(queue, true));
    const busy = queues.filter((queue) => queue.sparkline.completed.length);
    const total = (field) => Array.from({ length: 60 }, (_, at) => sum(busy.map((queue) => queue.sparkline[field][at])));
    const [good, bad] = [total("completed"), total("failed")];
    const [done, failed] = [sum(good), sum(bad)];
    const oldest = Math.max(-1, ...queues.map((queue) => age(queue.oldest_due) ?? -1));
    const dead = sum(queues.map((queue) => queue.dead));
    return html`<div class="stack"><${Alerts} alerts=${data.alerts.filter(({ state }) => state !== "resolved")} late=${data.schedules_late} />
      <div class="stats"><${Stat} label="Due" value=${bounded(sum(queues.map((queue) => queue.pending)), queues.some((queue) => queue.pending_more))} note=${`${bounded(sum(queues.map((queue) => queue.waiting)), queues.some((queue) => queue.waiting_more))} wait for their time`} />
        <${Stat} label="Running" value=${bounded(sum(queues.map((queue) => queue.running)), queues.some((queue) => queue.running_more))} note=${`${plural(pulse.value.workers ?? data.workers.filter(({ alive }) => alive).length, "worker")} alive`} />
        <${Stat} label="Done in an hour" value=${compact(done)} note=${`${compact(Math.round(done / 60))} per minute`} />
        <${Stat} label="Failed attempts" value=${percent(done + failed ? failed / (done + failed) : 0)} tone=${failed / (done + failed) > 0.05 ? "bad" : ""} note=${`${compact(failed)} in an hour`} />
        <${Stat} label="Oldest due" value=${oldest < 0 ? "–" : seconds(oldest)} note=${oldest < 0 ? "nothing waits" : "since it became due"} />
        <${Stat} label="Dead letters" value=${bounded(dead, queues.some((queue) => queue.dead_more))} tone=${dead ? "bad" : ""} note=${dead ? html`<a href=${href("dead")}>Look into them</a>` : "none"} /></div>
      <div class="columns"><${Panel} title="The last hour" note="jobs per minute"><${Chart} from=${queues[0]?.sparkline.from ?? data.now} good=${good} bad=${bad} label="Jobs by minute in the last hour" /><//>
        <${Panel} title="Workers" flush><${Workers} workers=${data.workers} /><//></div>
      <${Panel} title="Queues" note=${plural(queues.length, "queue")} flush>${queues.length
        ? html`<${Table} label="Queues" columns=${COLUMNS} rows=${queues} keyOf=${(queue) => queue.queue} to=${(queue) => href("queue", [queue.queue])} />`
        : html`<${Empty} icon="queue" title="No queue yet"><p>Register a job and its queue appears here: see docs/first-job.md.</p><//>`}<//></div>`;
  }}<//>`;
}

register({ name: "overview", label: "Overview", icon: "overview", key: "o", group: "Work", owns: ["queue"], view: Overview,
  badge: () => (pulse.value.alerts?.firing ? { count: pulse.value.alerts.firing, tone: "bad", label: plural(pulse.value.alerts.firing, "alert fires", "alerts fire") } : null) });
