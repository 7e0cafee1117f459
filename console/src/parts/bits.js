// Small pieces that every screen uses: states, times, ids, meters, sparklines, panels, empty states, errors.
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { ago, exact, percent, shortId } from "../lib/format.js";
import { Icon } from "../lib/icons.js";
import { now } from "../lib/live.js";

const TONES = {
  pending: "idle", deferred: "idle", queued: "idle", waiting: "idle", cancelled: "idle", skipped: "idle", stopped: "idle", gone: "idle", resolved: "idle",
  processing: "run", running: "run", open: "run", half_open: "warn", retrying: "warn", partial: "warn", draining: "warn", paused: "warn", warning: "warn",
  completed: "good", closed: "good", ok: "good", alive: "good", failed: "bad", dead: "bad", error: "bad", firing: "bad", late: "bad",
};
const WORDS = { failed: "dead letter", half_open: "half open" };
// A shape beside the colour: states are told apart without seeing colours.
const SHAPES = { idle: "M8 3.5a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9z", run: "M5.500 3.800v8.400l6.500-4.200z", good: "M3.500 8.500l3 3 6-6.500", bad: "M4.500 4.500l7 7M11.500 4.500l-7 7", warn: "M8 3v6M8 12v.200" };

/** A state with its shape and colour. tone and label override what the name says. */
export function State({ of, tone = undefined, label = undefined }) {
  const toned = tone ?? TONES[of] ?? "idle";
  return html`<span class=${`state ${toned}`}><svg viewBox="0 0 16 16" aria-hidden="true"><path d=${SHAPES[toned]} /></svg>${label ?? WORDS[of] ?? String(of).replace(/_/g, " ")}</span>`;
}

/** A relative time; the exact one on hover. */
export function Time({ at, empty = "–" }) {
  if (!at || String(at).includes("infinity")) return html`<span class="faint">${empty}</span>`;
  return html`<time datetime=${at} title=${exact(at)} class="num nowrap">${ago(at, now.value)}</time>`;
}

/** An id in short, as a link if there is an address; the whole one on hover. */
export function Id({ id, to = undefined, whole = false }) {
  if (!id) return html`<span class="faint">–</span>`;
  const text = whole ? id : shortId(id);
  return to ? html`<a class="mono nowrap" href=${to} title=${id}>${text}</a>` : html`<span class="mono nowrap" title=${id}>${text}</span>`;
}

export function Copy({ text, label = "Copy" }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    } catch {
      setDone(false);
    }
  };
  return html`<button type="button" class="ghost square" onClick=${copy} aria-label=${done ? "Copied" : label} title=${done ? "Copied" : label}><${Icon} name=${done ? "check" : "copy"} /></button>`;
}

/** A part of a screen with a heading. */
export function Panel({ title, note = undefined, actions = undefined, class: more = "", children, id = undefined, flush = false }) {
  return html`<section class=${`panel ${more}`} aria-label=${title} id=${id}>
    <header class="panel-head"><h2>${title}</h2>${note !== undefined && html`<span class="note">${note}</span>`}<span class="space" />${actions}</header>
    <div class=${flush ? "panel-body flush" : "panel-body"}>${children}</div>
  </section>`;
}

/** What to do next where nothing is. */
export const Empty = ({ icon = "jobs", title, children = undefined }) => html`<div class="empty"><${Icon} name=${icon} /><h3>${title}</h3>${children && html`<div class="soft">${children}</div>`}</div>`;

/** An error with what to do. */
export function Problem({ error, retry = undefined }) {
  return html`<div class="problem" role="alert"><${Icon} name="dead" /><div class="grow"><p class="breaks isolate">${error.message}</p>
    ${error.advice && html`<p class="soft breaks isolate">${error.advice}</p>`}</div>${retry && html`<button type="button" onClick=${retry}>Try again</button>`}</div>`;
}

/** While the first answer is awaited. */
export const Waiting = ({ rows = 4 }) => html`<div class="skeleton" role="status" aria-label="Loading">${Array.from({ length: rows }, () => html`<div />`)}</div>`;

/** The three states of what is fetched: awaited, failed with nothing to show, there. A newer failure stands above what is there. */
export function Fetched({ from, rows = 4, children }) {
  if (from.data === null) return from.error ? html`<${Problem} error=${from.error} retry=${from.reload} />` : html`<${Waiting} rows=${rows} />`;
  return html`${from.error && html`<${Problem} error=${from.error} retry=${from.reload} />`}${children(from.data)}`;
}

/** A share as a bar. The label says the same in words. */
export function Meter({ value, most, label, tone = "run" }) {
  const share = most > 0 ? Math.min(1, value / most) : 0;
  return html`<span class=${`meter ${tone}`} role="img" aria-label=${label} title=${label}><i style=${{ width: `${share * 100}%` }} /></span>`;
}

export function Progress({ value, label = undefined, tone = "run" }) {
  return html`<span class=${`meter tall ${tone}`} role="progressbar" aria-valuenow=${Math.round(value)} aria-valuemin="0" aria-valuemax="100" aria-label=${label ?? `${Math.round(value)}%`}>
    <i style=${{ width: `${Math.min(100, Math.max(0, value))}%` }} /></span>`;
}

/** An hour at a glance: completed as an area, failed as a red foot. */
export function Spark({ good, bad = [], width = 132, height = 28, label }) {
  const most = Math.max(1, ...good.map((n, at) => n + (bad[at] ?? 0)));
  const step = width / Math.max(1, good.length - 1);
  const y = (n) => (height - 1.5 - (n / most) * (height - 4)).toFixed(1);
  const line = (values) => values.map((n, at) => `${at ? "L" : "M"}${(at * step).toFixed(1)} ${y(n)}`).join("");
  const total = good.map((n, at) => n + (bad[at] ?? 0));
  return html`<svg class="spark" viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${label} preserveAspectRatio="none"><title>${label}</title>
    <path class="area" d=${`${line(total)}L${width} ${height}L0 ${height}Z`} /><path class="edge" d=${line(total)} vector-effect="non-scaling-stroke" />
    ${bad.some(Boolean) && html`<path class="foot" d=${`${line(bad)}L${width} ${height}L0 ${height}Z`} />`}</svg>`;
}

/** One number with its name. */
export function Stat({ label, value, note = undefined, tone = "", title = undefined, children = undefined }) {
  return html`<div class="stat" title=${title}><div class="stat-label">${label}</div><div class=${`stat-value num ${tone}`}>${value}</div>${note !== undefined && html`<div class="stat-note">${note}</div>`}${children}</div>`;
}

export const FailureShare = ({ share }) => html`<span class=${`num ${share >= 0.05 ? "bad" : share > 0.01 ? "warn" : "soft"}`}>${percent(share)}</span>`;

/** Names and values. */
export const Facts = ({ rows }) => html`<dl class="facts">${rows.filter(Boolean).map(([name, value]) => html`<div><dt>${name}</dt><dd class="breaks isolate">${value ?? html`<span class="faint">–</span>`}</dd></div>`)}</dl>`;

/** The first of a long list, and the rest on request. */
export function Some({ rows, most = 10, children }) {
  const [all, setAll] = useState(false);
  return html`${children(all ? rows : rows.slice(0, most))}${rows.length > most && html`<p class="further"><button type="button" class="ghost" aria-expanded=${all} onClick=${() => setAll(!all)}>${all ? "Fewer" : `All ${rows.length}`}</button></p>`}`;
}

/** Views of the same thing. */
export function Tabs({ tabs, chosen, onChoose, label }) {
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = (tabs.findIndex(([name]) => name === chosen) + step + tabs.length) % tabs.length;
    onChoose(tabs[at][0]);
    event.currentTarget.children[at].focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} onKeyDown=${move}>${tabs.map(([name, text]) => html`<button type="button" role="tab" aria-selected=${name === chosen}
    tabindex=${name === chosen ? 0 : -1} onClick=${() => onChoose(name)}>${text}</button>`)}</div>`;
}
