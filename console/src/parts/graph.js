// A graph of steps that follows execution. dagre places the nodes; for_each is one node with a bar.
import dagre from "@dagrejs/dagre";
import { html } from "htm/preact";
import { useMemo } from "preact/hooks";

import { duration, number } from "../lib/format.js";
import { now } from "../lib/live.js";

const WIDTH = 196;
const HEIGHT = 58;
const EACH = 72; // the height of a node with a bar

const TONE = { waiting: "idle", open: "run", completed: "good", partial: "warn", skipped: "idle" };

function place(graph) {
  const layout = new dagre.graphlib.Graph().setGraph({ rankdir: "LR", nodesep: 18, ranksep: 54, marginx: 20, marginy: 20 }).setDefaultEdgeLabel(() => ({}));
  for (const node of graph.nodes) layout.setNode(node.key, { width: WIDTH, height: node.for_each ? EACH : HEIGHT });
  for (const edge of graph.edges) if (layout.hasNode(edge.from) && layout.hasNode(edge.to)) layout.setEdge(edge.from, edge.to, { each: edge.each });
  dagre.layout(layout);
  return { size: layout.graph(), at: Object.fromEntries(layout.nodes().map((key) => [key, layout.node(key)])), edges: layout.edges().map((edge) => ({ ...edge, points: ends(layout.edge(edge).points, layout.node(edge.v), layout.node(edge.w)) })) };
}

/** Edges leave a node in the middle of its right side and arrive in the middle of the left side of the next. */
const ends = (points, from, to) => [{ x: from.x + WIDTH / 2, y: from.y }, ...points.slice(1, -1).filter(({ x }) => x > from.x + WIDTH / 2 + 8 && x < to.x - WIDTH / 2 - 8), { x: to.x - WIDTH / 2 - 1, y: to.y }];

/** A smooth line through points. */
const curve = (points) => points.map(({ x, y }, at) => {
  if (!at) return `M${x} ${y}`;
  const before = points[at - 1];
  const middle = (before.x + x) / 2;
  return `C${middle} ${before.y} ${middle} ${y} ${x} ${y}`;
}).join("");

const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function Node({ node, at, onOpen }) {
  const tone = node.failed && node.state !== "open" ? "bad" : TONE[node.state] ?? "idle";
  const ended = node.completed + node.failed + node.skipped;
  const took = node.started_at && !["waiting", "skipped"].includes(node.state) ? duration((node.finished_at ? new Date(node.finished_at).getTime() : now.value) - new Date(node.started_at).getTime()) : "";
  const { width, height } = at;
  const words = `${node.key}, ${node.state}${node.for_each ? `, ${ended} of ${node.total ?? "unknown"}` : ""}${node.failed ? `, ${node.failed} failed` : ""}`;
  const press = (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); onOpen(node); } };
  const share = (n) => (node.total ? (n / node.total) * (width - 28) : 0);
  return html`<g class=${`node ${tone} ${node.state}`} transform=${`translate(${at.x - width / 2} ${at.y - height / 2})`} tabindex="0" role="link" aria-label=${words} onClick=${() => onOpen(node)} onKeyDown=${press}>
    ${node.for_each && html`<rect class="behind" x="4" y="-4" width=${width - 2} height=${height} rx="9" />`}
    <rect class="body" width=${width} height=${height} rx="9" /><circle class="light" cx="18" cy="20" r="5" />
    <text class="node-key" x="32" y="24">${cut(node.key, 20)}</text><text class="node-note" x="14" y="44">${cut(node.kind, 18)}</text>
    <text class="node-note num" x=${width - 14} y="44" text-anchor="end">${took}</text>
    ${node.for_each && html`<rect class="bar-track" x="14" y="56" width=${width - 28} height="5" rx="2.5" /><rect class="bar-good" x="14" y="56" width=${share(node.completed)} height="5" rx="2.5" />
      <rect class="bar-bad" x=${14 + share(node.completed)} y="56" width=${share(node.failed)} height="5" /><text class="node-note num" x=${width - 14} y="24" text-anchor="end">${number(ended)}/${node.total === null ? "?" : number(node.total)}</text>`}
    <title>${words}</title></g>`;
}

/** @param {{graph: {nodes: any[], edges: any[]}, onOpen: (node: any) => void}} props */
export function Graph({ graph, onOpen }) {
  const shape = JSON.stringify([graph.nodes.map((node) => [node.key, node.for_each]), graph.edges]);
  const layout = useMemo(() => place(graph), [shape]);
  const states = Object.fromEntries(graph.nodes.map((node) => [node.key, node]));
  return html`<div class="graph" tabindex="0" role="group" aria-label="Graph of the steps"><svg width=${layout.size.width} height=${layout.size.height} viewBox=${`0 0 ${layout.size.width} ${layout.size.height}`}>
    <defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8Z" /></marker></defs>
    ${layout.edges.map((edge) => html`<path class=${`edge ${states[edge.v]?.state === "completed" || states[edge.v]?.state === "partial" ? "passed" : ""} ${states[edge.w]?.state === "open" ? "flows" : ""}`} d=${curve(edge.points)} marker-end="url(#arrow)" />`)}
    ${graph.nodes.map((node) => html`<${Node} key=${node.key} node=${node} at=${layout.at[node.key]} onOpen=${onOpen} />`)}</svg></div>`;
}
