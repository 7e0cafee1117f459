// A table whose rows are walked with j and k, opened with Enter and selected with x. On a phone each row is a card.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { go } from "../lib/router.js";
import { useKeys } from "../lib/use.js";

/**
 * @typedef {object} Column
 * @property {string} name
 * @property {string} label
 * @property {(row: any) => any} cell
 * @property {"right" | "left"} [align]
 * @property {string} [class]
 * @property {boolean} [main]  the head of the card on a phone
 */

/**
 * @param {object} props
 * @param {Column[]} props.columns
 * @param {any[]} props.rows
 * @param {(row: any) => string} props.keyOf
 * @param {(row: any) => string} [props.to]  the address of a row
 * @param {string} props.label
 * @param {Set<string>} [props.selected]
 * @param {(keys: Set<string>) => void} [props.onSelect]
 * @param {Record<string, {label: string, run: (row: any) => void}>} [props.keys]  for the row under the cursor
 * @param {(row: any) => any} [props.below]  shown under a row, over all columns
 */
export function Table({ columns, rows, keyOf, to = undefined, label, selected = undefined, onSelect = undefined, keys = {}, below = undefined }) {
  const [at, setAt] = useState(-1);
  const body = useRef(/** @type {any} */ (null));
  const current = rows[Math.min(at, rows.length - 1)];
  const move = (to) => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setAt(next);
    const row = body.current?.querySelectorAll("tr.item")[next];
    row?.scrollIntoView({ block: "nearest" });
    (row?.querySelector("a.open") ?? row?.querySelector("button, a"))?.focus({ preventScroll: true });
  };
  const toggle = (row, keep = true) => {
    const next = new Set(keep ? selected : []);
    if (!next.delete(keyOf(row))) next.add(keyOf(row));
    onSelect?.(next);
  };
  const onRow = (run) => () => current && run(current);
  useKeys({
    j: { label: "Next row", run: () => move(at + 1) },
    k: { label: "Previous row", run: () => move(at - 1) },
    ...(to ? { Enter: { label: "Open", run: onRow((row) => go(to(row))) } } : {}),
    ...(onSelect ? { x: { label: "Select", run: onRow((row) => toggle(row)) }, "*": { label: "Select all shown, or none", run: () => onSelect(new Set(selected?.size ? [] : rows.map(keyOf))) } } : {}),
    ...Object.fromEntries(Object.entries(keys).map(([key, { label: text, run }]) => [key, { label: text, run: onRow(run) }])),
  });
  useEffect(() => setAt(-1), [rows[0] && keyOf(rows[0])]);

  const all = rows.length > 0 && rows.every((row) => selected?.has(keyOf(row)));
  return html`<div class="scroll" tabindex="-1"><table class="table" aria-label=${label}>
    <thead><tr>${onSelect && html`<th class="pick"><input type="checkbox" aria-label="Select all shown" checked=${all} onChange=${() => onSelect(new Set(all ? [] : rows.map(keyOf)))} /></th>`}
      ${columns.map((column) => html`<th scope="col" class=${column.align ?? ""}>${column.label}</th>`)}</tr></thead>
    <tbody ref=${body}>${rows.map((row, index) => {
      const key = keyOf(row);
      const under = below?.(row);
      return html`<tr key=${key} class=${`item ${index === at ? "at" : ""} ${selected?.has(key) ? "picked" : ""} ${to ? "opens" : ""}`}
        onClick=${(event) => { setAt(index); if (to && !event.target.closest("a, button, input, label") && !String(getSelection())) go(to(row)); }}>
        ${onSelect && html`<td class="pick"><input type="checkbox" aria-label=${`Select ${key}`} checked=${selected?.has(key)} onChange=${() => toggle(row)} /></td>`}
        ${columns.map((column) => html`<td class=${`${column.align ?? ""} ${column.class ?? ""} ${column.main ? "main" : ""}`} data-label=${column.label}>${column.cell(row)}</td>`)}</tr>
        ${under && html`<tr key=${`${key} below`} class="below"><td colspan=${columns.length + (onSelect ? 1 : 0)}>${under}</td></tr>`}`;
    })}</tbody></table></div>`;
}

/** How far a bounded search has looked, and on. */
export function Further({ looked, reached = undefined, done, loading, onMore, count, full = false }) {
  if (done) return html`<p class="further faint">${count ? "Nothing older matches." : ""}</p>`;
  return html`<div class="further"><span class="soft">${full ? "There may be more." : html`Looked through ${looked?.toLocaleString("en")} jobs${reached ? html`, back to ${reached}` : ""}.`}</span>
    <button type="button" disabled=${loading} onClick=${onMore}>${loading ? "Looking …" : full ? "Show more" : "Look further"}</button></div>`;
}
