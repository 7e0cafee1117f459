// 10 Refresh: how fresh each data type is, what is watched, what calls cost beside their limits, and why answers were refused.
import { html } from "htm/preact";

import { bytes, compact, duration, number, percent, plural, words } from "../lib/format.js";
import { href } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useRpc, useTitle } from "../lib/use.js";
import { Empty, Fetched, Meter, Panel, Stat, State, Time } from "../parts/bits.js";
import { Chart } from "../parts/chart.js";
import { Table } from "../parts/table.js";

function Freshness({ of }) {
  if (of.error) return html`<${State} of="error" label="cannot be told" /> <span class="small soft breaks isolate">${of.error}</span>`;
  if (!of.watched) return html`<span class="faint">nobody watches</span>`;
  const fresh = 1 - of.stale / of.watched;
  return html`<span class="nowrap"><${Meter} value=${fresh} most=${1} tone=${fresh < 0.5 ? "bad" : fresh < 0.9 ? "warn" : "good"} label=${`${percent(fresh)} fresh`} /> <span class="num small soft">${of.watched - of.stale} of ${of.watched}</span></span>`;
}

/** An estimate beside what came, as a factor: 1.0 is exact. */
function Estimate({ row }) {
  if (!row.hour.calls) return html`<span class="soft num nowrap">${bytes(row.estimate)}</span>`;
  const factor = row.estimate ? row.hour.actual / row.estimate : null;
  return html`<span class="num nowrap">${bytes(row.estimate)} <span class=${factor !== null && (factor > 2 || factor < 0.5) ? "warn" : "faint"}>→ ${bytes(row.hour.actual)}</span></span>`;
}

const TYPES = [
  { name: "type", label: "Data type", main: true, cell: (row) => html`<div class="job-name"><b class="isolate">${row.type}</b>${!row.enabled && html`<${State} of="paused" label="switched off" />`}</div>` },
  { name: "fresh", label: "Fresh, of what is watched", cell: (row) => html`<${Freshness} of=${row.freshness} />` },
  { name: "ttl", label: "Good for", align: "right", cell: (row) => html`<span class="num nowrap">${duration(row.ttl_minutes * 60_000)}</span>` },
  { name: "strategy", label: "Asked for", cell: (row) => html`<span class="soft nowrap">${row.strategy === "scheduled" ? html`by <code>${row.schedule}</code>` : "when watched"}</span>` },
  { name: "calls", label: "Calls in an hour", align: "right", cell: (row) => html`<span class="num">${compact(row.hour.calls)}</span>` },
  { name: "estimate", label: "Estimate → actual", align: "right", cell: (row) => html`<${Estimate} row=${row} />` },
  { name: "waits", label: "Held back", align: "right", cell: (row) => html`<span class="num">${compact(row.waiting)}${row.dead ? html` <span class="bad">${compact(row.dead)} dead</span>` : ""}</span>` },
];
const WATCHED = [
  { name: "symbol", label: "Symbol", main: true, cell: (row) => html`<b class="isolate mono">${row.symbol}</b>` },
  { name: "watchers", label: "Watchers", align: "right", cell: (row) => html`<span class="num">${compact(row.watchers)}</span>` },
  { name: "types", label: "Types", class: "text", cell: (row) => html`<span class="soft cut isolate">${row.types.join(", ")}</span>` },
  { name: "seen", label: "Last seen", cell: (row) => html`<${Time} at=${row.seen_at} />` },
];

function Quota({ quota }) {
  const used = quota.used / quota.allowed;
  const coming = (quota.in_flight + quota.next_batch) / quota.allowed;
  const tone = used >= 1 ? "bad" : used + coming > 0.9 || quota.reached_at ? "warn" : "run";
  const label = `${bytes(quota.used)} of ${bytes(quota.allowed)} used in ${quota.days} days, ${bytes(quota.in_flight)} under way`;
  return html`<div class="quota"><span class=${`meter tall ${tone}`} role="img" aria-label=${label} title=${label}><i style=${{ width: `${Math.min(100, used * 100)}%` }} /></span>
    <p><b class="num">${bytes(quota.used)}</b> <span class="soft">of ${bytes(quota.allowed)} in ${quota.days} days (${percent(used)})</span></p>
    <p class="soft small">${bytes(quota.in_flight)} under way, ${bytes(quota.next_batch)} in the next batches. ${bytes(quota.per_day)} a day in the last week, which comes to ${bytes(quota.forecast)} in ${quota.days} days${quota.reached_at ? html`: <b class="warn">the quota is reached <${Time} at=${quota.reached_at} /></b>` : ": the quota is not reached at this pace"}.</p></div>`;
}

const REASONS = { rate_limited: "the provider said to wait", http: "an HTTP error", schema: "not of the expected form", no_data: "nothing for this symbol", not_json: "no JSON", too_large: "larger than allowed", slow: "too slow", connection: "the connection broke",
  insane: "values that cannot be", other_symbol: "an answer for another symbol", redirected: "sent elsewhere", no_source_timestamp: "without its time", no_fetcher: "nobody fetches this type", bad_address: "an address that is not allowed", quota_exceeded: "the quota is used up",
  estimate_exceeded: "more than twice the estimate", content_length_missing: "without its length" };

function Refresh() {
  useTitle("Refresh");
  const from = useRpc("console_refresh", {}, { every: 5 });
  return html`<${Fetched} from=${from} rows=${10}>${(data) => {
    const calls = data.minutes.map(({ calls }) => calls);
    const minute = calls.at(-2) ?? 0;
    const perMinute = data.limits.reduce((sum, limit) => sum + (limit.per_minute ?? 0), 0);
    const [unit, unitName] = data.days.some((day) => day.bytes > 10 * 2 ** 20) ? [2 ** 20, "MB"] : [1024, "KB"];
    const watched = data.types.reduce((sum, { freshness }) => sum + freshness.watched, 0);
    const stale = data.types.reduce((sum, { freshness }) => sum + (freshness.stale ?? 0), 0);
    return html`<div class="stack"><div class="stats"><${Stat} label="Fresh" value=${watched ? percent(1 - stale / watched) : "–"} tone=${watched && stale / watched > 0.5 ? "bad" : ""} note=${`${compact(watched - stale)} of ${compact(watched)} that are watched`} />
        <${Stat} label="Calls in the last minute" value=${compact(minute)} tone=${perMinute && minute >= perMinute ? "bad" : ""} note=${perMinute ? `of ${compact(perMinute)} allowed` : "no limit is set"} />
        <${Stat} label="Quota" value=${percent(data.quota.used / data.quota.allowed)} tone=${data.quota.used >= data.quota.allowed ? "bad" : ""} note=${data.quota.reached_at ? html`reached <${Time} at=${data.quota.reached_at} />` : `${bytes(data.quota.per_day)} a day`} />
        <${Stat} label="Watched symbols" value=${`${compact(data.watched.length)}${data.symbols_more ? "+" : ""}`} note=${plural(data.types.length, "data type")} />
        <${Stat} label="Refused answers" value=${compact(data.refused.reduce((sum, { count }) => sum + count, 0))} tone=${data.refused.some(({ dead }) => dead) ? "warn" : ""} note="that wait or are dead letters" /></div>
      <div class="halves"><${Panel} title="Calls per minute" note=${data.limits.map(({ queue, per_minute: most, status, blocked_until: until }) => html`<a href=${href("queue", [queue])}>${queue}</a> ${most ? `${number(most)} allowed` : "no limit"}${status !== "active" ? `, ${status}` : ""}${until && new Date(until) > new Date(data.now) ? html`, <span class="warn">blocked until <${Time} at=${until} /></span>` : ""} `)}><${Chart} from=${data.minutes[0]?.minute ?? data.now} good=${calls} bad=${[]} names=${["Calls"]} label="Calls of providers in the last hour" /><//>
        <${Panel} title="Quota"><${Quota} quota=${data.quota} />${data.days.length > 1 && html`<${Chart} from=${data.days[0].day} good=${data.days.map((day) => Math.round(day.bytes / unit))} bad=${[]} names=${[unitName]} step=${86_400} tick=${(at) => at.toISOString().slice(5, 10)} label=${`${unitName} by day`} />`}<//></div>
      <${Panel} title="Data types" flush note=${data.types.length}>${data.types.length ? html`<${Table} label="Data types" columns=${TYPES} rows=${data.types} keyOf=${(row) => row.type} />` : html`<${Empty} icon="refresh" title="No data type yet"><p>Add one with an INSERT: see docs/add-a-data-type.md.</p><//>`}<//>
      <div class="halves"><${Panel} title="Watched" flush note=${`${data.watched.length}${data.symbols_more ? "+" : ""}`}>${data.watched.length ? html`<${Table} label="Watched symbols" columns=${WATCHED} rows=${data.watched} keyOf=${(row) => row.symbol} />` : html`<${Empty} icon="eye" title="Nobody watches anything"><p>Clients subscribe by upsert_active_subscription_v2: see docs/refresh.md.</p><//>`}<//>
        <${Panel} title="Refused answers" flush>${data.refused.length || data.events.length ? html`<ol class="events">${data.refused.map((row) => html`<li class=${row.dead ? "bad" : ""}><a class="event-of cut isolate" href=${href("jobs", [], { q: `error:${row.reason ?? ""} state:failed,retrying payload.data_type=${row.type ?? ""}` })}>${row.type}</a><span class="grow breaks"><b>${REASONS[row.reason] ?? words(row.reason ?? "unknown")}</b> <span class="soft small isolate">${row.symbols.join(", ")}</span></span><span class="num nowrap">${compact(row.count)}${row.dead ? html` <span class="small">(${compact(row.dead)} dead)</span>` : ""}</span></li>`)}
            ${data.events.map((row) => html`<li><span class="event-of faint">event</span><span class="grow breaks">${REASONS[row.reason] ?? words(row.reason)} <span class="soft small isolate">${(row.symbols ?? []).join(", ")}</span></span><span class="num nowrap">${compact(row.count)}</span><span class="small soft"><${Time} at=${row.last_at} /></span></li>`)}</ol>` : html`<${Empty} icon="check" title="Nothing was refused"><p>Every answer of the last day was taken.</p><//>`}<//></div></div>`;
  }}<//>`;
}

register({ name: "refresh", label: "Refresh", icon: "refresh", key: "f", group: "Applications", part: "refresh", view: Refresh });
