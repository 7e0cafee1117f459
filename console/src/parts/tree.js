// JSON as a tree that folds. Numbers are shown as they were written, texts are texts.
import { html } from "htm/preact";
import { useMemo, useState } from "preact/hooks";

import { parseExactly, print } from "../lib/json.js";
import { Copy } from "./bits.js";

const OPEN_TO = 2; // levels that are open at first
const AT_ONCE = 100; // members shown before "more" is asked for
const LONG = 300; // characters of a text shown before it is opened

function Text({ value }) {
  const [open, setOpen] = useState(false);
  const long = value.length > LONG;
  return html`<span class="json-string breaks">"<span class="isolate">${long && !open ? value.slice(0, LONG) : value}</span>"</span>
    ${long && html`<button type="button" class="link" onClick=${() => setOpen(!open)}>${open ? "less" : `… ${(value.length - LONG).toLocaleString("en")} more characters`}</button>`}`;
}

function Leaf({ node }) {
  if (node.type === "string") return html`<${Text} value=${node.value} />`;
  return html`<span class=${node.type === "number" ? "json-number num" : "json-word"}>${node.text}</span>`;
}

function Branch({ name, node, depth }) {
  const members = node.type === "object" ? node.entries : node.type === "array" ? node.items.map((item, at) => [String(at), item]) : null;
  const [open, setOpen] = useState(depth < OPEN_TO);
  const [most, setMost] = useState(AT_ONCE);
  const label = name !== undefined && html`<span class="json-key isolate">${name}</span><span class="faint">: </span>`;
  if (!members) return html`<li role="treeitem"><span class="json-line">${label}<${Leaf} node=${node} /></span></li>`;
  const marks = node.type === "object" ? ["{", "}"] : ["[", "]"];
  if (!members.length) return html`<li role="treeitem"><span class="json-line">${label}<span class="faint">${marks.join("")}</span></span></li>`;
  return html`<li role="treeitem" aria-expanded=${open}>
    <button type="button" class="json-line fold" onClick=${() => setOpen(!open)} aria-label=${`${open ? "Close" : "Open"} ${name ?? "all"}, ${members.length} members`}><span class="caret" aria-hidden="true" />${label}<span class="faint">${marks[0]}${!open ? ` ${members.length} ${marks[1]}` : ""}</span></button>
    ${open && html`<ul role="group">${members.slice(0, most).map(([key, value]) => html`<${Branch} key=${key} name=${key} node=${value} depth=${depth + 1} />`)}
      ${members.length > most && html`<li role="treeitem"><button type="button" class="link" onClick=${() => setMost(most + 10 * AT_ONCE)}>${(members.length - most).toLocaleString("en")} more</button></li>`}</ul>`}
    ${open && html`<span class="faint json-end" aria-hidden="true">${marks[1]}</span>`}</li>`;
}

/** @param {{text: string | null, label: string, cut?: boolean}} props  text: JSON as the database wrote it */
export function Tree({ text, label, cut = false }) {
  const node = useMemo(() => {
    try {
      return text ? parseExactly(text) : null;
    } catch {
      return null;
    }
  }, [text]);
  if (!text) return html`<p class="faint">Nothing.</p>`;
  return html`<div class="json"><div class="json-copy"><${Copy} text=${node ? print(node) : text} label=${`Copy ${label}`} /></div>
    ${node ? html`<ul role="tree" aria-label=${label}><${Branch} node=${node} depth=${0} /></ul>` : html`<pre class="isolate breaks" tabindex="0" aria-label=${label}>${text}</pre>`}
    ${cut && html`<p class="faint small">Only the beginning is shown.</p>`}</div>`;
}
