// 5 Dead letters: grouped by what went wrong, acted on after a preview, by runs that show how far they are.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { rpc } from "../lib/api.js";
import { number, plural } from "../lib/format.js";
import { pulse } from "../lib/live.js";
import { href, setQuery } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useKeys, useRpc, useTitle } from "../lib/use.js";
import { Action, confirm } from "../parts/act.js";
import { Empty, Meter, Panel, Problem, Progress, State, Time, Waiting } from "../parts/bits.js";
import { SearchBox } from "../parts/search.js";
import { Further, Table } from "../parts/table.js";
import { PreviewDialog } from "./preview.js";

/** Groups of several calls in one list: counts add up, the first and the last time are those of all. */
export function addGroups(before, more) {
  const all = new Map(before.map((group) => [group.group, group]));
  for (const group of more) {
    const known = all.get(group.group);
    all.set(group.group, known ? { ...known, count: known.count + group.count, first_seen: known.first_seen < group.first_seen ? known.first_seen : group.first_seen,
      last_seen: known.last_seen > group.last_seen ? known.last_seen : group.last_seen } : group);
  }
  return [...all.values()].sort((a, b) => b.count - a.count);
}

function useGroups(search) {
  const [state, setState] = useState(/** @type {any} */ ({ groups: null, error: null, loading: true, looked: 0 }));
  const turn = useRef(0);
  const load = async (cursor = null) => {
    const mine = ++turn.current;
    setState((before) => ({ ...before, loading: true }));
    try {
      const answer = await rpc("console_dead_groups", { p_search: search, p_cursor: cursor });
      if (mine !== turn.current) return;
      setState((before) => ({ ...answer, groups: addGroups(cursor ? before.groups : [], answer.groups), looked: (cursor ? before.looked : 0) + answer.looked, error: null, loading: false }));
    } catch (error) {
      if (mine === turn.current) setState((before) => ({ ...before, error, loading: false }));
    }
  };
  useEffect(() => {
    setState({ groups: null, error: null, loading: true, looked: 0 });
    load();
  }, [search]);
  return { ...state, more: () => load(state.cursor), reload: () => load() };
}

const DOING = { retry: "Retrying", discard: "Discarding", cancel: "Cancelling" };

function Run({ run, onChange }) {
  const stop = () => confirm({ title: "Stop this run?", body: "What it has done stays done. It can be resumed from where it stands.", verb: "Stop", run: (reason) => rpc("console_stop_bulk", { p_id: run.id, p_reason: reason }).then(onChange).then(() => "The run is stopped.") });
  const resume = () => confirm({ title: "Resume this run?", body: "It goes on from where it stands.", verb: "Resume", run: (reason) => rpc("console_resume_bulk", { p_id: run.id, p_reason: reason }).then(onChange).then(() => "The run goes on.") });
  const percent = run.percent ?? (run.total ? (run.done / run.total) * 100 : 0);
  return html`<li class="run-row"><div class="row"><${State} of=${run.state} /><b>${run.state === "running" ? DOING[run.action] : run.action.replace(/^./, (letter) => letter.toUpperCase())} ${number(run.total)}${run.total_more ? "+" : ""}</b>
      <span class="soft cut isolate mono small">${run.search || (run.group ? "one group" : "all")}</span><span class="space" /><span class="num soft small">${number(run.done)} done${run.refused ? `, ${number(run.refused)} refused (${Object.entries(run.refusals ?? {}).map(([why, count]) => `${count} ${why.replace(/_/g, " ")}`).join(", ")})` : ""}</span>
      ${run.state === "running" && html`<${Action} icon="stop" label="Stop" onClick=${stop} />`}${run.state === "stopped" && html`<${Action} icon="play" label="Resume" onClick=${resume} />`}</div>
    <${Progress} value=${run.state === "completed" ? 100 : percent} tone=${run.state === "failed" ? "bad" : run.state === "completed" ? "good" : "run"} label=${`${Math.round(percent)}% of the run`} />
    <p class="faint small breaks isolate">${run.error ? html`<span class="bad">${run.error}</span> ` : ""}${run.by?.email ?? run.by?.sub ?? "service"}: ${run.reason} · <${Time} at=${run.created_at} /></p></li>`;
}

function Runs({ from }) {
  const runs = (from.data?.bulks ?? []).map((run) => ({ ...run, ...(pulse.value.bulks ?? []).find(({ id }) => id === run.id) }));
  const [all, setAll] = useState(false);
  const active = runs.filter(({ state }) => state === "running" || state === "stopped");
  const list = all ? runs : active.length ? active : runs.slice(0, 1);
  if (!runs.length) return null;
  return html`<${Panel} title="Runs" note=${active.length ? plural(active.filter(({ state }) => state === "running").length, "run goes", "runs go") : "nothing runs"} flush actions=${runs.length > list.length || all ? html`<button type="button" class="ghost" onClick=${() => setAll(!all)}>${all ? "Fewer" : `All ${runs.length}`}</button>` : undefined}>
    <ul class="runs">${list.map((run) => html`<${Run} key=${run.id} run=${run} onChange=${from.reload} />`)}</ul><//>`;
}

function Dead({ query }) {
  useTitle("Dead letters");
  const search = query.q ?? "";
  const found = useGroups(search);
  const runs = useRpc("console_bulks", {}, { every: 2 });
  const [preview, setPreview] = useState(/** @type {any} */ (null));
  const finished = (runs.data?.bulks ?? []).filter(({ state }) => state !== "running").length;
  const before = useRef(finished);
  useEffect(() => {
    if (before.current !== finished && found.groups) found.reload();
    before.current = finished;
  }, [finished]);
  const total = (found.groups ?? []).reduce((sum, group) => sum + group.count, 0);
  const most = found.groups?.[0]?.count ?? 1;
  const ask = (action, group = null) => setPreview({ action, group, search });
  const inGroup = (group) => href("jobs", [], { q: `state:dead kind:${group.kind}${group.type ? ` error:${/\s/.test(group.type) ? `"${group.type}"` : group.type}` : ""}${search ? ` ${search}` : ""}` });
  useKeys({ R: { label: "Retry all that match", run: () => ask("retry") } });
  const columns = [
    { name: "what", label: "What went wrong", main: true, class: "wide", cell: (group) => html`<div class="group-what"><a class="open breaks isolate" href=${inGroup(group)}>${group.type ?? "error"}</a><span class="soft breaks isolate">${group.shape}</span></div>` },
    { name: "kind", label: "Kind", cell: (group) => html`<div class="isolate">${group.kind}</div><div class="faint small isolate">${group.queue}</div>` },
    { name: "count", label: "Count", align: "right", cell: (group) => html`<span class="run-of"><span class="num">${number(group.count)}${found.done ? "" : "+"}</span><${Meter} value=${group.count} most=${most} tone="bad" label=${`${group.count} of this group`} /></span>` },
    { name: "first", label: "First", cell: (group) => html`<${Time} at=${group.first_seen} />` },
    { name: "last", label: "Last", cell: (group) => html`<${Time} at=${group.last_seen} />` },
    { name: "act", label: "Act", align: "right", cell: (group) => html`<span class="row end"><${Action} icon="retry" label="Retry" onClick=${() => ask("retry", group)} /><${Action} icon="trash" label="Discard" danger onClick=${() => ask("discard", group)} /></span>` },
  ];
  return html`<div class="stack"><${SearchBox} value=${search} onSearch=${(q) => setQuery({ q }, { replace: false })} error=${found.error?.code === "GM110" ? found.error : null} label="Search dead letters" placeholder="Narrow down: kind:send_email error:timeout since:24h payload.user_id=42" />
    <${Runs} from=${runs} />
    <${Panel} title="Groups" flush note=${found.groups ? `${number(total)}${found.done ? "" : "+"} dead letters in ${plural(found.groups.length, "group")}` : ""}
      actions=${total > 0 && html`<${Action} icon="retry" label="Retry all that match" onClick=${() => ask("retry")} /><${Action} icon="trash" label="Discard all" danger onClick=${() => ask("discard")} />`}>
      ${found.error && found.error.code !== "GM110" && html`<${Problem} error=${found.error} retry=${found.reload} />`}
      ${found.groups === null ? !found.error && html`<${Waiting} />` : found.groups.length ? html`<${Table} label="Groups of dead letters" columns=${columns} rows=${found.groups} keyOf=${(group) => group.group} to=${inGroup}
        keys=${{ r: { label: "Retry the group", run: (group) => ask("retry", group) } }} />`
        : html`<${Empty} icon="check" title=${search ? "No dead letter matches" : "No dead letters"}><p>${search ? "Take a term away." : "Jobs that have failed for good appear here, by what went wrong."}</p><//>`}
      ${found.groups && !found.done && html`<${Further} looked=${found.looked} done=${false} loading=${found.loading} count=${total} onMore=${found.more} />`}<//>
    ${preview && html`<${PreviewDialog} ...${preview} onClose=${() => setPreview(null)} onStarted=${() => { setPreview(null); runs.reload(); }} />`}</div>`;
}

register({ name: "dead", label: "Dead letters", icon: "dead", key: "d", group: "Work", view: Dead,
  badge: () => ((pulse.value.bulks ?? []).some(({ state }) => state === "running") ? { count: "run", tone: "", label: "a run is going on" } : null) });
