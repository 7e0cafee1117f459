// 6 Workflows, one of them: a graph that follows execution, or its tasks over time.
import { html } from "htm/preact";

import { rpc } from "../lib/api.js";
import { bytes, duration, plural } from "../lib/format.js";
import { now } from "../lib/live.js";
import { href, setQuery } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useRpc, useTitle } from "../lib/use.js";
import { Action, confirm } from "../parts/act.js";
import { Copy, Empty, Facts, Fetched, Id, Panel, Progress, State, Tabs, Time } from "../parts/bits.js";
import { Graph } from "../parts/graph.js";
import { Table } from "../parts/table.js";
import { Tree } from "../parts/tree.js";

const TASK_COLUMNS = [
  { name: "key", label: "Task", main: true, cell: (task) => html`<a class="open isolate" href=${href("job", [task.id])}>${task.key}${task.item >= 0 && task.of > 1 ? ` #${task.item}` : ""}</a>` },
  { name: "state", label: "State", cell: (task) => html`<${State} of=${task.state} label=${task.state} />` },
  { name: "started", label: "Started", cell: (task) => html`<${Time} at=${task.started_at} />` },
  { name: "took", label: "Took", align: "right", cell: (task) => html`<span class="num">${task.started_at && task.finished_at ? duration(new Date(task.finished_at).getTime() - new Date(task.started_at).getTime()) : "–"}</span>` },
  { name: "error", label: "Error", class: "text", cell: (task) => (task.error ? html`<span class="cut isolate" title=${task.error.message}>${task.error.type && html`<b class="error-type">${task.error.type}</b> `}<span class="soft">${task.error.message}</span></span>` : html`<span class="faint">–</span>`) },
];

/** Bars over time, a row for each task, grouped as the graph is ordered. */
function Gantt({ tasks, nodes, more }) {
  const began = (task) => new Date(task.started_at ?? task.created_at).getTime();
  const order = Object.fromEntries(nodes.map((node, at) => [node.key, at]));
  const rows = tasks.filter((task) => task.started_at ?? task.created_at).sort((a, b) => began(a) - began(b) || order[a.key] - order[b.key]);
  if (!rows.length) return html`<${Empty} icon="workflows" title="Nothing has begun"><p>Bars appear as tasks run.</p><//>`;
  const ended = (task) => (task.finished_at ? new Date(task.finished_at).getTime() : ["completed", "failed", "cancelled", "skipped"].includes(task.state) ? began(task) : now.value);
  const from = Math.min(...rows.map(began));
  const span = Math.max(1, Math.max(...rows.map(ended)) - from);
  return html`<div class="gantt" tabindex="0" role="group" aria-label="Tasks over time"><div class="gantt-axis faint small num" aria-hidden="true"><span>0</span><span>${duration(span / 2)}</span><span>${duration(span)}</span></div>
    <ol>${rows.map((task) => html`<li class="gantt-row"><a class="cut isolate small" href=${href("job", [task.id])}>${task.key}${task.of > 1 ? ` #${task.item}` : ""}</a>
      <div class="gantt-lane"><i class=${task.state} style=${{ left: `${((began(task) - from) / span) * 100}%`, width: `max(3px, ${((ended(task) - began(task)) / span) * 100}%)` }} title=${`${task.state}, ${duration(ended(task) - began(task))}`} /><span class="hidden">${task.state}, ${duration(ended(task) - began(task))}</span></div></li>`)}</ol>
    ${more && html`<p class="further faint">Not all tasks are shown; those of the steps with most going on come first.</p>`}</div>`;
}

function Workflow({ args, query }) {
  const id = args[0] ?? "";
  const from = useRpc("console_workflow", { p_id: id }, { every: 2 });
  const view = query.view ?? "graph";
  const flow = from.data?.workflow;
  useTitle(flow?.type ?? "Workflow");
  const doing = (verb, title, body, danger) => confirm({ title, body, verb, danger, run: (reason) => rpc(`console_${verb.toLowerCase()}_workflow`, { p_id: id, p_reason: reason }).then((answer) => { from.reload(); return `The workflow is ${answer.status}.`; }) });
  return html`<${Fetched} from=${from} rows=${8}>${(data) => {
    if (!flow) return html`<${Empty} icon="workflows" title="There is no such workflow"><p><a href=${href("workflows")}>To the workflows</a></p><//>`;
    const counts = Object.fromEntries(data.graph.nodes.map((node) => [node.key, node.for_each ? 2 : (node.total ?? 1)]));
    const tasks = data.tasks.map((task) => ({ ...task, of: counts[task.key] ?? 1 }));
    const step = query.step;
    return html`<div class="stack"><header class="head"><div class="grow"><div class="row"><${State} of=${flow.status} label=${flow.status === "failed" ? "failed" : flow.compensating ? "compensating" : undefined} /><span class="mono breaks">${flow.id}</span><${Copy} text=${flow.id} label="Copy the id" /></div>
        <p class="soft breaks isolate">${flow.error?.message ?? (flow.message || flow.phase)}</p></div>
      <div class="row"><${Action} icon="play" label="Resume" primary=${data.actions.resume} disabled=${!data.actions.resume} why="Only what failed or was cancelled is resumed" onClick=${() => doing("Resume", "Resume this workflow?", "What completed stays; the rest is run again.", false)} />
        <${Action} icon="cancel" label="Cancel" danger disabled=${!data.actions.cancel} why="It has ended" onClick=${() => doing("Cancel", "Cancel this workflow?", "Waiting tasks are cancelled, running ones are asked to stop.", true)} /></div></header>
      <div class="progress-cell"><${Progress} value=${flow.percent} tone=${flow.status === "failed" ? "bad" : flow.status === "completed" ? "good" : "run"} label=${`${flow.percent}% done`} /><span class="num soft">${flow.percent}%</span></div>
      <${Panel} title="Steps" note=${plural(data.graph.nodes.length, "step")} flush actions=${html`<${Tabs} label="View" chosen=${view} onChoose=${(next) => setQuery({ view: next === "graph" ? "" : next })} tabs=${[["graph", "Graph"], ["gantt", "Gantt"], ["tasks", "Tasks"]]} />`}>
        ${view === "gantt" ? html`<${Gantt} tasks=${tasks} nodes=${data.graph.nodes} more=${data.tasks_more} />` : view === "tasks" || step ? html`${step && html`<p class="further"><span>Tasks of <b class="isolate">${step}</b></span><button type="button" onClick=${() => setQuery({ step: "" })}>All</button></p>`}
          <${Table} label="Tasks" columns=${TASK_COLUMNS} rows=${tasks.filter((task) => !step || task.key === step)} keyOf=${(task) => `${task.id}`} to=${(task) => href("job", [task.id])} />`
          : html`<${Graph} graph=${data.graph} onOpen=${(node) => {
            const own = tasks.filter((task) => task.key === node.key);
            if (own.length === 1) location.hash = href("job", [own[0].id]);
            else setQuery({ step: node.key, view: "tasks" }, { replace: false });
          }} />`}<//>
      <div class="halves"><${Panel} title="Parameters"><${Tree} text=${flow.params_text} label="parameters" /><//>
        ${flow.output_text && flow.output_text !== "null" && html`<${Panel} title="Output"><${Tree} text=${flow.output_text} label="output" /><//>`}
        <${Panel} title="Facts"><${Facts} rows=${[["Type", `${flow.type}, version ${flow.version}`], ["Owner", html`<${Id} id=${flow.user_id} to=${href("workflows", [], { q: `owner:${flow.user_id}` })} />`], ["Started", html`<${Time} at=${flow.created_at} />`], ["Last change", html`<${Time} at=${flow.updated_at} />`],
          flow.finished_at && ["Took", duration(new Date(flow.finished_at).getTime() - new Date(flow.created_at).getTime())], flow.correlation_id && ["Correlation", html`<a class="mono" href=${href("jobs", [], { q: `correlation:"${flow.correlation_id}"` })}>${flow.correlation_id}</a>`]]} /><//>
        ${data.artifacts.length > 0 && html`<${Panel} title="Artifacts" flush><ul class="links">${data.artifacts.map((artifact) => html`<li><span class="grow breaks isolate">${artifact.title}</span><span class="faint small">${artifact.type}</span><span class="num small soft">${bytes(artifact.bytes)}</span></li>`)}</ul><//>`}</div></div>`;
  }}<//>`;
}

register({ name: "workflow", label: "Workflow", icon: "workflows", group: "Work", part: "workflows", unlisted: true, view: Workflow });
