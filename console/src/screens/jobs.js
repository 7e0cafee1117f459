// 2 Jobs: one search over everything, newest first; columns are chosen and remembered, all state is in the address.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { rpc } from "../lib/api.js";
import { duration, plural } from "../lib/format.js";
import { Icon } from "../lib/icons.js";
import { beat, paused, watch, watched } from "../lib/live.js";
import { remembered } from "../lib/prefs.js";
import { href, setQuery } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useSignalEffect } from "@preact/signals";
import { useTitle } from "../lib/use.js";
import { Action, confirm } from "../parts/act.js";
import { Empty, Id, Panel, Problem, Progress, State, Time, Waiting } from "../parts/bits.js";
import { SearchBox } from "../parts/search.js";
import { Further, Table } from "../parts/table.js";

const LIMIT = 50;
const FRESH = 5000; // how often the first page is fetched anew while it is live

export const jobHref = (job) => href("job", [job.id]);
const text = (value) => (value ? html`<span class="cut isolate" title=${value}>${value}</span>` : html`<span class="faint">–</span>`);

/** @type {import("../parts/table.js").Column[]} */
export const JOB_COLUMNS = [
  { name: "job", label: "Job", main: true, cell: (job) => html`<div class="job-name"><a class="open isolate" href=${jobHref(job)}>${job.kind}</a>${job.name && html`<span class="soft cut isolate">${job.name}</span>`}<span class="only-wide"><${Id} id=${job.id} /></span></div>` },
  { name: "state", label: "State", cell: (job) => html`<div class="job-state"><${State} of=${job.state} label=${job.cancel_requested && job.state === "processing" ? "being cancelled" : undefined} tone=${job.state === "deferred" ? "idle" : undefined} />
    ${job.state === "processing" && job.progress > 0 && html`<${Progress} value=${job.progress} />`}</div>` },
  { name: "queue", label: "Queue", cell: (job) => html`<a class="quiet isolate" href=${href("queue", [job.queue])}>${job.queue}</a>` },
  { name: "attempt", label: "Attempt", align: "right", cell: (job) => html`<span class="num nowrap">${job.attempt}<span class="faint"> of ${job.max_attempts}</span></span>` },
  { name: "created", label: "Created", cell: (job) => html`<${Time} at=${job.created_at} />` },
  { name: "run_at", label: "Due", cell: (job) => html`<${Time} at=${job.run_at} />` },
  { name: "finished", label: "Finished", cell: (job) => html`<${Time} at=${job.finished_at} />` },
  { name: "duration", label: "Took", align: "right", cell: (job) => html`<span class="num nowrap soft">${duration(job.duration_ms)}</span>` },
  { name: "error", label: "Error", class: "text", cell: (job) => (job.error ? html`<span class="cut isolate" title=${job.error.message}>${job.error.type && html`<b class="error-type">${job.error.type}</b> `}<span class="soft">${job.error.message}</span></span>` : html`<span class="faint">–</span>`) },
  { name: "priority", label: "Priority", align: "right", cell: (job) => html`<span class="num">${job.priority}</span>` },
  { name: "owner", label: "Owner", cell: (job) => html`<${Id} id=${job.owner} to=${job.owner && href("jobs", [], { q: `owner:${job.owner}` })} />` },
  { name: "group", label: "Group", cell: (job) => text(job.group_key) },
  { name: "correlation", label: "Correlation", cell: (job) => text(job.correlation_id) },
  { name: "worker", label: "Worker", cell: (job) => text(job.worker) },
];
const chosen = remembered("columns", ["job", "state", "queue", "attempt", "created", "duration", "error"]);

function ColumnChooser() {
  const toggle = (name) => (chosen.value = chosen.value.includes(name) ? chosen.value.filter((other) => other !== name) : [...chosen.value, name]);
  return html`<details class="menu"><summary class="button"><${Icon} name="columns" />Columns</summary><div class="menu-list" role="group" aria-label="Columns">
    ${JOB_COLUMNS.filter(({ main }) => !main).map(({ name, label }) => html`<label><input type="checkbox" checked=${chosen.value.includes(name)} onChange=${() => toggle(name)} />${label}</label>`)}</div></details>`;
}

const QUICK = [["All", ""], ["Running", "state:processing"], ["Due", "state:pending"], ["Waiting", "state:waiting"], ["Dead letters", "state:dead"], ["Last hour", "since:1h"]];

/** The pages of a search, kept while more is fetched; the first one is fetched anew while it is live. */
function useJobs(search) {
  const [state, setState] = useState(/** @type {any} */ ({ jobs: null, error: null, loading: true }));
  const asked = useRef({ search, turn: 0, pages: 0, at: 0 });
  const load = async (cursor = null, quiet = false) => {
    const turn = ++asked.current.turn;
    if (!quiet) setState((before) => ({ ...before, loading: true }));
    try {
      const answer = await rpc("console_jobs", { p_search: search, p_cursor: cursor, p_limit: LIMIT });
      if (turn !== asked.current.turn) return;
      asked.current.at = Date.now();
      asked.current.pages = cursor ? asked.current.pages + 1 : 1;
      setState((before) => ({ ...answer, jobs: cursor ? [...before.jobs, ...answer.jobs.filter((job) => !before.jobs.some(({ id }) => id === job.id))] : answer.jobs,
        looked: cursor ? before.looked + answer.looked : answer.looked, full: answer.jobs.length >= LIMIT, error: null, loading: false }));
    } catch (error) {
      if (turn === asked.current.turn) setState((before) => ({ ...before, error, loading: false }));
    }
  };
  useEffect(() => {
    setState({ jobs: null, error: null, loading: true });
    load();
  }, [search]);
  useSignalEffect(() => {
    if (beat.value && !paused.value && asked.current.pages === 1 && Date.now() - asked.current.at > FRESH) load(null, true);
  });
  return { ...state, more: () => load(state.cursor), reload: () => load() };
}

/** Retry, cancel and discard of some jobs. verb: retry, cancel or discard. */
export function actOnJobs(verb, ids, after) {
  const words = { retry: ["Retry", "They go back to their queue and are due at once."], cancel: ["Cancel", "What waits is cancelled. What runs is asked to stop, and stops at its next sign of life."],
    discard: ["Discard", "Dead letters are deleted with their payload. This cannot be undone."] }[verb];
  confirm({ title: `${words[0]} ${plural(ids.length, "job")}?`, body: words[1], verb: words[0], danger: verb !== "retry", run: async (reason) => {
    const answer = await rpc(`console_${verb}`, { p_ids: ids, p_reason: reason });
    after?.();
    const others = Object.entries(answer.results.reduce((counts, { status }) => ({ ...counts, [status]: (counts[status] ?? 0) + 1 }), {})).map(([status, count]) => `${count} ${status.replace(/_/g, " ")}`);
    return ids.length === 1 ? `The job is ${answer.results[0]?.status.replace(/_/g, " ")}.` : `${others.join(", ")}.`;
  } });
}

function Jobs({ query }) {
  useTitle("Jobs");
  const search = query.q ?? "";
  const found = useJobs(search);
  const [selected, setSelected] = useState(/** @type {Set<string>} */ (new Set()));
  useEffect(() => setSelected(new Set()), [search]);
  const jobs = (found.jobs ?? []).map((job) => (watched.value[job.id] ? { ...job, state: watched.value[job.id][0], attempt: watched.value[job.id][1], progress: watched.value[job.id][2] } : job));
  const liveIds = (found.jobs ?? []).filter(({ state }) => !["completed", "cancelled", "failed"].includes(state)).map(({ id }) => id);
  useEffect(() => watch(liveIds), [liveIds.join()]);
  useEffect(() => () => watch([]), []);
  const extra = Object.keys(jobs[0]?.payload_columns ?? {}).map((name) => ({ name: `payload.${name}`, label: name, cell: (job) => text(job.payload_columns[name]) }));
  const columns = [...JOB_COLUMNS.filter(({ name, main }) => main || chosen.value.includes(name)), ...extra];
  const run = (q) => setQuery({ q }, { replace: false });
  const done = () => { setSelected(new Set()); found.reload(); };
  const ids = [...selected];
  const on = (verb) => (row) => actOnJobs(verb, ids.length ? ids : [row.id], done);
  return html`<div class="stack"><${SearchBox} value=${search} onSearch=${run} error=${found.error?.code === "GM110" ? found.error : null} />
    <div class="row"><div class="chips" role="group" aria-label="Common searches">${QUICK.map(([label, q]) => html`<button type="button" class=${`chip ${search === q ? "on" : ""}`} aria-pressed=${search === q} onClick=${() => run(q)}>${label}</button>`)}</div><span class="space" />
      ${/(?:^|\s)state:(dead|failed)/.test(search) && html`<a class="button" href=${href("dead", [], { q: search.replace(/(?:^|\s)state:(dead|failed)/, "").trim() })}>As groups</a>`}<${ColumnChooser} /></div>
    ${ids.length > 0 && html`<div class="selection" role="region" aria-label="Selected jobs"><b>${plural(ids.length, "job")} selected</b><span class="space" /><${Action} icon="retry" label="Retry" hot="r" onClick=${() => actOnJobs("retry", ids, done)} />
      <${Action} icon="cancel" label="Cancel" hot="c" onClick=${() => actOnJobs("cancel", ids, done)} /><${Action} icon="trash" label="Discard" danger onClick=${() => actOnJobs("discard", ids, done)} /><button type="button" class="ghost" onClick=${() => setSelected(new Set())}>None</button></div>`}
    <${Panel} title="Jobs" note=${found.jobs ? notes(found) : ""} flush>
      ${found.error && found.error.code !== "GM110" && html`<${Problem} error=${found.error} retry=${found.reload} />`}
      ${found.jobs === null ? !found.error && html`<${Waiting} rows=${8} />` : jobs.length
        ? html`<${Table} label="Jobs" columns=${columns} rows=${jobs} keyOf=${(job) => job.id} to=${jobHref} selected=${selected} onSelect=${setSelected}
            keys=${{ r: { label: "Retry", run: on("retry") }, c: { label: "Cancel", run: on("cancel") } }} />`
        : html`<${Empty} icon="search" title=${search ? (found.done ? "No job matches" : "Nothing so far") : "No job yet"}><p>${search ? (found.done ? "Take a term away, or look further back with another since:." : "More jobs lie further back.") : html`Enqueue one: <code>gristmill enqueue echo '{"hello":"you"}'</code>, or see docs/first-job.md.`}</p><//>`}
      ${found.jobs && (jobs.length > 0 || !found.done) && html`<${Further} looked=${found.looked} reached=${found.reached && html`<${Time} at=${found.reached} />`} done=${found.done} loading=${found.loading} count=${jobs.length} full=${found.full} onMore=${found.more} />`}<//></div>`;
}

const notes = (found) => [`${found.jobs.length}${found.done ? "" : "+"} shown`, ...(found.notes ?? [])].join(" · ");

register({ name: "jobs", label: "Jobs", icon: "jobs", key: "j", group: "Work", owns: ["job"], view: Jobs });
