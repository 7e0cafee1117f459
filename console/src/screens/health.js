// 8 Health: what doctor finds, live; cron, pump and invocations; breakers, alerts, sizes and versions.
import { html } from "htm/preact";

import { bytes, compact, duration, number, percent, plural, words } from "../lib/format.js";
import { start } from "../lib/live.js";
import { href } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useRpc, useTitle } from "../lib/use.js";
import { Copy, Empty, Fetched, Panel, Some, Stat, State, Time } from "../parts/bits.js";
import { BreakerChanges } from "./queue.js";

function Findings({ from }) {
  const findings = [...from.data.findings].sort((a, b) => ["error", "warning", "note"].indexOf(a.level) - ["error", "warning", "note"].indexOf(b.level));
  if (from.data.looked === false) return html`<p class="faint small pad">This installation keeps no record of its release to compare with. Run <code>gristmill doctor</code>.</p>`;
  if (!findings.length) return html`<${Empty} icon="check" title="Nothing to mend"><p>The checks of gristmill doctor that the database can make find nothing.</p><//>`;
  return html`<ul class="findings">${findings.map((finding) => html`<li><${State} of=${finding.level} tone=${{ error: "bad", warning: "warn", note: "idle" }[finding.level]} /><div class="grow"><p class="breaks isolate">${finding.sentence}</p>${finding.fix && html`<div class="fix"><code class="breaks isolate">${finding.fix}</code><${Copy} text=${finding.fix} label="Copy the fix" /></div>`}</div></li>`)}</ul>`;
}

const Checks = ({ checks }) => html`<ul class="checks">${[...checks].sort((a, b) => Number(a.ok) - Number(b.ok)).map((check) => html`<li class=${check.ok ? "" : "bad"}><${State} of=${check.ok ? "ok" : "failed"} label=${check.ok ? "well" : "look"} /><div class="grow"><b>${words(check.name)}</b>${check.details.map((detail) => html`<p class="soft breaks isolate">${typeof detail === "string" ? detail : JSON.stringify(detail)}</p>`)}</div></li>`)}</ul>`;

function Invocations({ invocations }) {
  const { hour, recent } = invocations;
  return html`<div class="pad row"><span><b class="num">${compact(hour.asked)}</b> <span class="soft">asked in an hour</span></span><span><b class="num">${compact(hour.begun)}</b> <span class="soft">claimed</span></span><span class=${hour.failed ? "bad" : ""}><b class="num">${compact(hour.failed)}</b> ${hour.failed ? `failed (${percent(hour.failed / Math.max(1, hour.asked))})` : html`<span class="soft">failed</span>`}</span></div>
    ${recent.length ? html`<${Some} rows=${recent}>${(shown) => html`<ol class="events">${shown.map((row) => html`<li class=${row.failure ? "bad" : ""}><a class="isolate event-of cut" href=${href("queue", [row.queue])}>${row.queue}</a><span class="grow breaks isolate">${row.failure ?? (row.ended_at ? `claimed ${number(row.claimed ?? 0)}` : row.begun_at ? "running" : "asked for")}</span><span class="faint small nowrap">${row.reason}${row.ms !== null ? `, ${duration(row.ms)}` : ""}</span><span class="small soft"><${Time} at=${row.asked_at} /></span></li>`)}</ol>`}<//>` : html`<p class="faint small pad">No function was called.</p>`}`;
}

function Tables({ tables }) {
  const most = Math.max(1, ...tables.map((table) => table.bytes + table.index_bytes));
  return html`<${Some} rows=${[...tables].sort((a, b) => b.bytes + b.index_bytes - a.bytes - a.index_bytes)} most=${12}>${(shown) => html`<table class="plain" aria-label="Tables"><thead><tr><th scope="col">Table</th><th scope="col" class="right">Rows, about</th><th scope="col" class="right">Size</th><th scope="col" class="hide-phone">With indexes</th><th scope="col" class="right hide-phone">Dead rows</th><th scope="col" class="right hide-phone">Vacuumed</th></tr></thead>
    <tbody>${shown.map((table) => html`<tr><th scope="row" class="isolate">${table.name}</th><td class="right num">${compact(table.rows_about)}</td><td class="right num nowrap">${bytes(table.bytes + table.index_bytes)}</td>
      <td class="hide-phone"><span class="sizes" role="img" aria-label=${`${bytes(table.bytes)} of rows, ${bytes(table.index_bytes)} of indexes`}><i style=${{ width: `${(table.bytes / most) * 100}%` }} /><i class="index" style=${{ width: `${(table.index_bytes / most) * 100}%` }} /></span></td>
      <td class=${`right num hide-phone ${table.dead_rows > 10_000 && table.dead_rows > table.rows_about ? "warn" : "soft"}`}>${compact(table.dead_rows)}</td><td class="right small soft hide-phone"><${Time} at=${table.last_vacuum_at} empty="never" /></td></tr>`)}</tbody></table>`}<//>`;
}

const AlertRows = ({ alerts }) => (alerts.length ? html`<ol class="events">${alerts.map((alert) => html`<li><${State} of=${alert.state} tone=${alert.state === "firing" ? "bad" : alert.state === "pending" ? "warn" : "good"} /><span class="grow breaks isolate"><b>${words(alert.rule)}</b> ${alert.subject} <span class="soft">${number(alert.value)}, threshold ${number(alert.threshold)}</span></span><span class="small soft"><${Time} at=${alert.resolved_at ?? alert.since} /></span></li>`)}</ol>`
  : html`<p class="faint small pad">No alert has fired.</p>`);

/** Events that say the same, once, with the time of the newest. */
function together(events) {
  const all = new Map();
  for (const event of events) {
    const key = JSON.stringify([event.code, event.detail]);
    if (all.has(key)) all.get(key).times++;
    else all.set(key, { ...event, times: 1 });
  }
  return [...all.values()];
}

function Health() {
  useTitle("Health");
  const from = useRpc("console_health", {}, { every: 10 });
  // It compares the whole installation with its release, which takes half a second: asked once.
  const damage = useRpc("console_findings", {}, { every: 0 });
  return html`<${Fetched} from=${from} rows=${10}>${(data) => {
    const wrong = data.checks.filter(({ ok }) => !ok).length;
    const toMend = (damage.data?.findings ?? []).filter(({ level }) => level !== "note").length;
    const firing = data.alerts.filter(({ state }) => state === "firing").length;
    const version = data.version ?? start.value.version;
    const ill = wrong + toMend + firing + (data.pump.late ? 1 : 0);
    return html`<div class="stack"><div class=${`verdict ${ill ? "warn" : "good"}`}><${State} of=${ill ? "warning" : "ok"} label=${ill ? `${plural(ill, "thing needs", "things need")} a look` : "All is well"} /><span class="soft">${version ? `version ${version}, ` : ""}Postgres ${data.postgres}</span><span class="space" /><span class="small soft">looked <${Time} at=${data.now} /></span></div>
      <div class="stats"><${Stat} label="Pump" value=${data.pump.late ? "late" : "runs"} tone=${data.pump.late ? "bad" : ""} note=${html`last round <${Time} at=${data.pump.last_round_at} empty="never" />`} /><${Stat} label="Checks" value=${`${data.checks.length - wrong} of ${data.checks.length}`} tone=${wrong ? "bad" : ""} note="are well" />
        <${Stat} label="Invocations" value=${compact(data.invocations.hour.asked)} note=${`${compact(data.invocations.hour.failed)} failed in an hour`} tone=${data.invocations.hour.failed ? "warn" : ""} /><${Stat} label="Breakers" value=${data.breakers.filter(({ state }) => state !== "closed").length || "closed"} tone=${data.breakers.some(({ state }) => state === "open") ? "bad" : ""} note=${`${plural(data.breakers.length, "target")}`} />
        <${Stat} label="Database" value=${bytes(data.database_bytes)} note=${`${compact(data.tables.find(({ name }) => name.endsWith("job_live"))?.rows_about ?? 0)} live jobs, about`} /></div>
      ${data.pump.reason && html`<p class="banner breaks isolate">${data.pump.reason}</p>`}
      <div class="halves"><div class="stack"><${Panel} title="Findings" note="what gristmill doctor finds in the database" flush actions=${html`<button type="button" class="ghost" disabled=${damage.loading} onClick=${damage.reload}>${damage.loading ? "Looking …" : "Look again"}</button>`}><${Fetched} from=${damage} rows=${2}>${() => html`<${Findings} from=${damage} />`}<//><//><${Panel} title="Checks" flush><${Checks} checks=${data.checks} /><//></div>
        <div class="stack"><${Panel} title="Invocations" flush><${Invocations} invocations=${data.invocations} /><//><${Panel} title="Breakers" flush>${data.breakers.length > 0 && html`<ul class="events">${data.breakers.map((row) => html`<li><b class="isolate grow">${row.target}</b><${State} of=${row.state} tone=${{ open: "bad", half_open: "warn", closed: "good" }[row.state]} /><span class="small soft">${!row.changed_at || row.changed_at.includes("infinity") ? "always" : html`since <${Time} at=${row.changed_at} />`}</span></li>`)}</ul>`}<${BreakerChanges} rows=${data.breaker_changes} /><//>
          <${Panel} title="Alerts" flush><${AlertRows} alerts=${data.alerts} /><//></div></div>
      <${Panel} title="Tables" note=${`${bytes(data.database_bytes)} in all`} flush><${Tables} tables=${data.tables} /><//>
      <div class="halves"><${Panel} title="Events" flush>${data.events.length ? html`<${Some} rows=${together(data.events)} most=${8}>${(shown) => html`<ol class="events">${shown.map((row) => html`<li><b class="isolate nowrap">${words(row.code)}</b>${row.times > 1 && html`<span class="tag num">${row.times}×</span>`}<span class="grow soft breaks isolate small">${JSON.stringify(row.detail)}</span><span class="small soft"><${Time} at=${row.at} /></span></li>`)}</ol>`}<//>` : html`<p class="faint small pad">Nothing has happened that an operator may want to know.</p>`}<//>
        <${Panel} title="Parts"><div class="chips">${data.parts.map((part) => html`<span class="tag" title=${part.version ?? ""}>${part.part}</span>`)}</div>${data.notes.map((note) => html`<p class="soft small breaks isolate">${note}</p>`)}<//></div></div>`;
  }}<//>`;
}

register({ name: "health", label: "Health", icon: "health", key: "h", group: "System", view: Health });
