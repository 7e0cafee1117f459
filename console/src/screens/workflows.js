// 6 Workflows, the list: what runs, how far each is, what has failed.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useSignalEffect } from "@preact/signals";

import { rpc } from "../lib/api.js";
import { beat } from "../lib/live.js";
import { href, setQuery } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useTitle } from "../lib/use.js";
import { Empty, Id, Panel, Problem, Progress, State, Time, Waiting } from "../parts/bits.js";
import { SearchBox } from "../parts/search.js";
import { Further, Table } from "../parts/table.js";

const LIMIT = 50;
const KEYS = { type: "of its definition", status: "queued, processing, completed, failed, cancelled", id: "its id", owner: "a user's id", since: "created after: 2h, 7d", until: "created before", correlation: "of one request" };

/** Pages of a list that answers {rows, done, cursor}; the first one is fetched anew every few seconds while it is live. */
export function usePages(name, search, field, every = 4) {
  const [state, setState] = useState(/** @type {any} */ ({ rows: null, error: null, loading: true }));
  const of = useRef({ turn: 0, pages: 0, at: 0 });
  const load = async (cursor = null) => {
    const turn = ++of.current.turn;
    setState((before) => ({ ...before, loading: true }));
    try {
      const answer = await rpc(name, { p_search: search, p_cursor: cursor, p_limit: LIMIT });
      if (turn !== of.current.turn) return;
      Object.assign(of.current, { at: Date.now(), pages: cursor ? of.current.pages + 1 : 1 });
      setState((before) => ({ ...answer, rows: cursor ? [...before.rows, ...answer[field]] : answer[field], looked: (cursor ? before.looked : 0) + (answer.looked ?? 0), full: answer[field].length >= LIMIT, error: null, loading: false }));
    } catch (error) {
      if (turn === of.current.turn) setState((before) => ({ ...before, error, loading: false }));
    }
  };
  useEffect(() => {
    setState({ rows: null, error: null, loading: true });
    load();
  }, [search]);
  useSignalEffect(() => {
    if (beat.value && every && of.current.pages === 1 && Date.now() - of.current.at > every * 1000) load();
  });
  return { ...state, more: () => load(state.cursor), reload: () => load() };
}

const to = (row) => href("workflow", [row.id]);
const COLUMNS = [
  { name: "type", label: "Workflow", main: true, cell: (row) => html`<div class="job-name"><a class="open isolate" href=${to(row)}>${row.type}</a><span class="faint">v${row.version}</span><${Id} id=${row.id} /></div>` },
  { name: "status", label: "State", cell: (row) => html`<${State} of=${row.status} label=${row.status === "failed" ? "failed" : undefined} />` },
  { name: "progress", label: "Progress", cell: (row) => html`<div class="progress-cell"><${Progress} value=${row.percent} tone=${row.status === "failed" ? "bad" : row.status === "completed" ? "good" : "run"} label=${`${row.percent}%`} /><span class="num small soft">${row.percent}%</span></div>` },
  { name: "steps", label: "Steps", align: "right", cell: (row) => html`<span class="num nowrap">${row.steps.completed}<span class="faint"> of ${row.steps.total}</span>${row.steps.failed ? html` <span class="bad">${row.steps.failed} failed</span>` : ""}</span>` },
  { name: "phase", label: "Phase", class: "text", cell: (row) => html`<span class="cut isolate soft" title=${row.message}>${row.error?.message ?? (row.message || row.phase)}</span>` },
  { name: "created", label: "Started", cell: (row) => html`<${Time} at=${row.created_at} />` },
  { name: "updated", label: "Last change", cell: (row) => html`<${Time} at=${row.updated_at} />` },
];
const QUICK = [["All", ""], ["Running", "status:processing"], ["Failed", "status:failed"], ["Completed", "status:completed"]];

function Workflows({ query }) {
  useTitle("Workflows");
  const search = query.q ?? "";
  const found = usePages("console_workflows", search, "workflows");
  const run = (q) => setQuery({ q }, { replace: false });
  return html`<div class="stack"><${SearchBox} value=${search} onSearch=${run} keys=${KEYS} label="Search workflows" placeholder="Search workflows: type:ingest status:failed since:24h" error=${found.error?.code === "GM110" ? found.error : null} />
    <div class="chips" role="group" aria-label="Common searches">${QUICK.map(([label, q]) => html`<button type="button" class=${`chip ${search === q ? "on" : ""}`} aria-pressed=${search === q} onClick=${() => run(q)}>${label}</button>`)}</div>
    <${Panel} title="Workflows" flush note=${found.rows ? `${found.rows.length}${found.done ? "" : "+"} shown` : ""}>${found.error && found.error.code !== "GM110" && html`<${Problem} error=${found.error} retry=${found.reload} />`}
      ${found.rows === null ? !found.error && html`<${Waiting} />` : found.rows.length ? html`<${Table} label="Workflows" columns=${COLUMNS} rows=${found.rows} keyOf=${(row) => row.id} to=${to} />`
        : html`<${Empty} icon="workflows" title=${search ? "No workflow matches" : "No workflow yet"}><p>${search ? "Take a term away." : "Start one: see docs/workflows.md. Each is drawn here while it runs."}</p><//>`}
      ${found.rows?.length > 0 && html`<${Further} looked=${found.looked} done=${found.done} loading=${found.loading} count=${found.rows.length} full=${found.full} onMore=${found.more} />`}<//></div>`;
}

register({ name: "workflows", label: "Workflows", icon: "workflows", key: "w", group: "Work", part: "workflows", owns: ["workflow"], view: Workflows });
