// 13 Audit: who did what and why, searched; and the proof that no row was changed.
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { rpc } from "../lib/api.js";
import { number, plural, words } from "../lib/format.js";
import { href, setQuery } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useTitle } from "../lib/use.js";
import { Action } from "../parts/act.js";
import { Copy, Empty, Id, Panel, Problem, State, Time, Waiting } from "../parts/bits.js";
import { SearchBox } from "../parts/search.js";
import { Further, Table } from "../parts/table.js";
import { Tree } from "../parts/tree.js";
import { usePages } from "./workflows.js";

const KEYS = { action: "retry, cancel, reveal …", table: "what was changed", record: "its id", actor: "a user's id", source: "console, api …", job: "a job's id", reason: "part of the reason", since: "after: 2h, 7d, 2026-11-18", until: "before", correlation: "of one request" };

function Verify() {
  const [state, setState] = useState(/** @type {any} */ ({}));
  const verify = async () => {
    setState({ busy: true });
    setState(await rpc("console_verify_audit").then((answer) => ({ answer }), (error) => ({ error })));
  };
  const { answer, error, busy } = state;
  return html`<div class=${`verify ${answer ? (answer.ok ? "good" : "bad") : ""}`} role="status"><div class="grow">${error ? html`<p class="bad breaks">${error.message} ${error.advice}</p>` : answer ? html`<p><${State} of=${answer.ok ? "ok" : "failed"} label=${answer.ok ? "unaltered" : "altered"} /> <b>${answer.ok ? `${plural(answer.rows, "row")} of ${plural(answer.days, "day")} are as they were written.` : `${plural(answer.findings.length, "row is", "rows are")} not as written.`}</b></p>
      ${answer.findings.map((finding) => html`<p class="breaks small">${finding.day}, row ${number(finding.audit_id)}: ${words(finding.problem)}</p>`)}
      ${answer.head && html`<p class="row tight small soft">Head of the chain <code class="cut">${answer.head}</code><${Copy} text=${answer.head} label="Copy the head" /></p>`}` : html`<p><b>Rows never change.</b> <span class="soft">Each is linked to the one before it; verifying recomputes the links of the last 31 days.</span></p>`}</div>
    <${Action} icon="check" label=${busy ? "Verifying …" : "Verify"} disabled=${busy} onClick=${verify} /></div>`;
}

const short = (text) => (text && text.length > 60 ? `${text.slice(0, 59)}…` : text);
function Audit({ query }) {
  useTitle("Audit");
  const search = query.q ?? "";
  const found = usePages("console_audit", search, "rows", 10);
  const [open, setOpen] = useState(/** @type {number | null} */ (null));
  const columns = [
    { name: "action", label: "Action", main: true, cell: (row) => html`<button type="button" class="link strong" aria-expanded=${open === row.id} onClick=${() => setOpen(open === row.id ? null : row.id)}>${words(row.action.toLowerCase())}</button>` },
    { name: "record", label: "On", class: "text", cell: (row) => html`<div class="row tight"><span class="faint nowrap">${words(row.table)}</span>${row.job_id ? html`<${Id} id=${row.job_id} to=${href("job", [row.job_id])} />` : html`<span class="mono cut isolate" title=${row.record}>${short(row.record)}</span>`}</div>` },
    { name: "who", label: "Who", cell: (row) => html`<span class="cut isolate" title=${row.actor}>${row.email ?? row.actor ?? row.actor_role}</span>` },
    { name: "reason", label: "Reason", class: "text", cell: (row) => (row.reason ? html`<span class="breaks isolate">${row.reason}</span>` : html`<span class="faint">–</span>`) },
    { name: "source", label: "From", cell: (row) => html`<span class="soft">${row.source}</span>` },
    { name: "at", label: "When", cell: (row) => html`<${Time} at=${row.at} />` },
  ];
  const Below = (row) => row.id === open && html`<div class="halves"><div><h3>Before</h3>${row.old ? html`<${Tree} text=${JSON.stringify(row.old)} label="before" />` : html`<p class="faint">Nothing, or it needs the role admin.</p>`}</div><div><h3>After</h3>${row.new ? html`<${Tree} text=${JSON.stringify(row.new)} label="after" />` : html`<p class="faint">Nothing, or it needs the role admin.</p>`}</div></div>`;
  return html`<div class="stack"><${Verify} /><${SearchBox} value=${search} onSearch=${(q) => setQuery({ q }, { replace: false })} keys=${KEYS} label="Search the audit log" placeholder="Search: action:retry since:7d reason:incident" error=${found.error?.code === "GM110" ? found.error : null} />
    <${Panel} title="Audit log" flush note=${found.rows ? `${found.rows.length}${found.done ? "" : "+"} shown` : ""}>${found.error && found.error.code !== "GM110" && html`<${Problem} error=${found.error} retry=${found.reload} />`}
      ${found.rows === null ? !found.error && html`<${Waiting} />` : found.rows.length ? html`<${Table} label="Audit log" columns=${columns} rows=${found.rows} keyOf=${(row) => String(row.id)} below=${Below} />` : html`<${Empty} icon="audit" title=${search ? "Nothing matches" : "Nobody has acted yet"}><p>${search ? "Take a term away." : "Every action in the console is written down here, with who and why."}</p><//>`}
      ${found.rows?.length > 0 && html`<${Further} looked=${found.looked} done=${found.done} loading=${found.loading} count=${found.rows.length} full onMore=${found.more} />`}<//></div>`;
}

register({ name: "audit", label: "Audit", icon: "audit", key: "a", group: "System", view: Audit });
