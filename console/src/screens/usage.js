// 12 Usage: what each profile has used of its plan in a month, and how the months compare.
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { compact, number, percent, plural, words } from "../lib/format.js";
import { href, setQuery } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useRpc, useTitle } from "../lib/use.js";
import { Empty, Fetched, Id, Meter, Panel, Stat, State, Tabs, Time } from "../parts/bits.js";
import { Table } from "../parts/table.js";

const METERS = [["files", "Files"], ["pages", "Pages"], ["ai_tokens", "AI tokens"], ["storage_mb", "Stored, MB"]];
const SHOWN = [["pages", "Pages"], ["files", "Files"], ["ai_tokens", "AI tokens"], ["profiles", "Profiles"]];
const monthName = (month) => new Intl.DateTimeFormat("en-GB", { month: "short", year: "2-digit", timeZone: "UTC" }).format(new Date(`${month}T00:00:00Z`));

function MeterCell({ of }) {
  if (of.allowed === null) return html`<span class="num nowrap">${compact(of.used)} <span class="faint small">unlimited</span></span>`;
  const tone = of.over ? "bad" : of.percent >= 80 ? "warn" : "run";
  return html`<span class="nowrap"><${Meter} value=${of.used} most=${of.allowed} tone=${tone} label=${`${number(of.used)} of ${number(of.allowed)}`} /> <span class=${`num small ${of.over ? "bad" : "soft"}`}>${compact(of.used)} of ${compact(of.allowed)}</span></span>`;
}

/** A bar for each month. The button of a month shows its profiles. */
function Months({ months, chosen, meter }) {
  const most = Math.max(1, ...months.map((row) => row[meter]));
  return html`<div class="months" role="group" aria-label="Months">${months.map((row) => html`<button type="button" class=${`month ${row.month === chosen ? "on" : ""}`} aria-pressed=${row.month === chosen} title=${`${number(row[meter])}, ${plural(row.profiles, "profile")}`} onClick=${() => setQuery({ month: row.month })}>
    <span class="month-bar"><i style=${{ height: `${Math.max(1, (row[meter] / most) * 100)}%` }} /></span><b class="num">${compact(row[meter])}</b><span class="faint">${monthName(row.month)}</span></button>`)}</div>`;
}

const COLUMNS = [
  { name: "profile", label: "Profile", main: true, cell: (row) => html`<${Id} id=${row.profile} to=${href("usage", [], { profile: row.profile })} />` },
  { name: "plan", label: "Plan", cell: (row) => html`<span class="soft">${row.plan}</span>` },
  ...METERS.map(([name, label]) => ({ name, label, cell: (row) => html`<${MeterCell} of=${row.meters[name]} />` })),
  { name: "most", label: "Nearest limit", align: "right", cell: (row) => html`<span class=${`num ${row.most > 100 ? "bad" : row.most >= 80 ? "warn" : "soft"}`}>${percent(row.most / 100)}</span>` },
];

function Usage({ query }) {
  useTitle("Usage");
  const from = useRpc("console_usage", { p_month: query.month ?? null, p_profile: query.profile ?? null }, { every: 15 });
  const [meter, setMeter] = useState("pages");
  return html`<${Fetched} from=${from} rows=${8}>${(data) => {
    const sum = data.months.find(({ month }) => month === data.month) ?? {};
    const over = data.profiles.filter((row) => Object.values(row.meters).some((one) => one.over));
    const near = data.profiles.filter((row) => row.most >= 80 && !over.includes(row));
    return html`<div class="stack">${query.profile && html`<div class="verdict"><b>Profile</b><${Id} id=${query.profile} whole /><span class="space" /><button type="button" onClick=${() => setQuery({ profile: "" })}>All profiles</button></div>`}
      <div class="stats"><${Stat} label=${`Pages in ${monthName(data.month)}`} value=${compact(sum.pages ?? 0)} note=${plural(sum.profiles ?? 0, "profile")} /><${Stat} label="Files" value=${compact(sum.files ?? 0)} /><${Stat} label="AI tokens" value=${compact(sum.ai_tokens ?? 0)} note=${plural(sum.ai_calls ?? 0, "call")} />
        <${Stat} label="Over their plan" value=${over.length} tone=${over.length ? "bad" : ""} note=${data.billing ? "uploads are refused" : "limits do not block"} /><${Stat} label="Near a limit" value=${near.length} tone=${near.length ? "warn" : ""} note="from 80% on" /></div>
      <${Panel} title="Months" actions=${html`<${Tabs} label="What the bars count" tabs=${SHOWN} chosen=${meter} onChoose=${setMeter} />`}>${data.months.length ? html`<${Months} months=${data.months} chosen=${data.month} meter=${meter} />` : html`<p class="faint">Nothing was counted in the last twelve months.</p>`}<//>
      <${Panel} title="Profiles" flush note=${`${data.profiles.length} nearest to a limit in ${monthName(data.month)}`}>${data.profiles.length ? html`<${Table} label="Profiles" columns=${COLUMNS} rows=${data.profiles} keyOf=${(row) => row.profile} />` : html`<${Empty} icon="usage" title="Nobody has used anything in this month"><p>Uploads, pages and calls of models are counted as they happen: see docs/usage in docs/documents.md.</p><//>`}<//>
      <div class="halves"><${Panel} title="Plans" flush><div class="scroll" tabindex="0" role="region" aria-label="Plans and their limits"><table class="plain" aria-label="Plans"><thead><tr><th scope="col">Plan</th>${METERS.map(([, label]) => html`<th scope="col" class="right">${label}</th>`)}</tr></thead><tbody>${data.plans.map((plan) => html`<tr><th scope="row" class="isolate">${plan.name || plan.plan}</th>${METERS.map(([name]) => html`<td class="right num">${plan[name] === null ? html`<span class="faint">unlimited</span>` : compact(plan[name])}</td>`)}</tr>`)}</tbody></table></div><//>
        <${Panel} title="Newest events" flush>${data.events.length ? html`<ol class="events">${data.events.map((row) => html`<li><${State} of=${row.type} tone=${row.type === "limit_hit" ? "warn" : "idle"} label=${words(row.type)} /><span class="grow soft small breaks isolate">${Object.entries(row.counts).map(([name, count]) => `${words(name)} ${typeof count === "number" ? compact(count) : count}`).join(", ")}</span><${Id} id=${row.profile} to=${href("usage", [], { profile: row.profile })} /><span class="small soft"><${Time} at=${row.at} /></span></li>`)}</ol>` : html`<p class="faint small pad">Nothing yet.</p>`}<//></div></div>`;
  }}<//>`;
}

register({ name: "usage", label: "Usage", icon: "usage", key: "u", group: "Applications", part: "usage", view: Usage });
