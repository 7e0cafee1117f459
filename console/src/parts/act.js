// Actions: asked for with a reason, carried out by the database, reported as the database answers. Nothing is shown as done before it is.
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { rpc } from "../lib/api.js";
import { Icon } from "../lib/icons.js";
import { start } from "../lib/live.js";

const RANKS = ["viewer", "operator", "admin"];
/** Whether the role suffices; the database judges again. */
export const mayAct = (needs = "operator") => RANKS.indexOf(start.value?.role) >= RANKS.indexOf(needs);

const open = signal(/** @type {any} */ (null));
const toasts = signal(/** @type {{id: number, text: string, tone: string}[]} */ ([]));
let counted = 0;

/** Says in passing what has happened. */
export function say(text, tone = "good") {
  const id = ++counted;
  toasts.value = [...toasts.value.slice(-3), { id, text, tone }];
  setTimeout(() => dismiss(id), tone === "bad" ? 12_000 : 5000);
}
const dismiss = (id) => (toasts.value = toasts.value.filter((toast) => toast.id !== id));

/**
 * Asks, with a field for the reason, and then acts.
 * @param {object} what
 * @param {string} what.title
 * @param {any} [what.body]  what will happen
 * @param {string} what.verb  on the button
 * @param {boolean} [what.danger]
 * @param {string} [what.needs]
 * @param {string} [what.preset]  a reason to begin with
 * @param {(reason: string) => Promise<string | void>} what.run  answers the sentence to show
 */
export function confirm(what) {
  open.value = what;
}

/** Calls an action and shows what it answered. Returns the answer, or null after an error that was shown. */
export async function act(name, args, done) {
  try {
    const answer = await rpc(name, args);
    const text = done?.(answer);
    if (text) say(text);
    return answer;
  } catch (error) {
    say([error.message, error.advice].filter(Boolean).join(" "), "bad");
    return null;
  }
}

/** A button that says which role it needs when that is missing. */
export function Action({ needs = "operator", icon = undefined, label, onClick, danger = false, primary = false, disabled = false, why = "", hot = undefined }) {
  const allowed = mayAct(needs);
  const reason = allowed ? why : `Needs the role ${needs}`;
  return html`<button type="button" class=${`${danger ? "danger" : ""} ${primary ? "primary" : ""}`} disabled=${!allowed || disabled} title=${(!allowed || disabled) && reason ? reason : undefined} onClick=${onClick}>
    ${icon && html`<${Icon} name=${icon} />`}<span>${label}</span>${hot && html`<kbd aria-hidden="true">${hot}</kbd>`}</button>`;
}

/** A dialog that traps the focus and gives it back. */
export function Dialog({ title, onClose, children, wide = false }) {
  const ref = useRef(/** @type {any} */ (null));
  useEffect(() => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    ref.current.showModal();
    return () => before?.focus?.();
  }, []);
  return html`<dialog ref=${ref} class=${wide ? "wide" : ""} aria-label=${title} onCancel=${(event) => { event.preventDefault(); onClose(); }}
    onClick=${(event) => event.target === ref.current && onClose()}>
    <div class="dialog"><header><h2>${title}</h2><button type="button" class="ghost square" aria-label="Close" onClick=${onClose}><${Icon} name="cancel" /></button></header>${children}</div></dialog>`;
}

function Confirmation({ what }) {
  const [reason, setReason] = useState(what.preset ?? "");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {any} */ (null));
  const close = () => (open.value = null);
  const run = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const text = await what.run(reason.trim());
      if (text) say(text);
      if (open.value === what) close();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${what.title} onClose=${close}><form onSubmit=${run}>
    <div class="dialog-body">${what.body && html`<div class="soft">${what.body}</div>`}
      <label class="field"><span>Reason <i>kept in the audit log</i></span>
        <input required maxlength="500" autocomplete="off" autofocus value=${reason} placeholder="What made you do this" onInput=${(event) => setReason(event.target.value)} /></label>
      ${error && html`<p class="bad breaks" role="alert">${error.message} ${error.advice}</p>`}</div>
    <footer><button type="button" onClick=${close}>Not now</button>
      <button type="submit" class=${what.danger ? "danger solid" : "primary"} disabled=${busy || !reason.trim()}>${busy ? "One moment …" : what.verb}</button></footer></form><//>`;
}

/** Where dialogs and what has happened appear; once in the page. */
export function Layer() {
  return html`${open.value && html`<${Confirmation} what=${open.value} key=${open.value.title} />`}
    <div class="toasts" role="status" aria-live="polite">${toasts.value.map((toast) => html`<div key=${toast.id} class=${`toast ${toast.tone}`}><${Icon} name=${toast.tone === "bad" ? "dead" : "check"} />
      <span class="breaks isolate">${toast.text}</span><button type="button" class="ghost square" aria-label="Dismiss" onClick=${() => dismiss(toast.id)}><${Icon} name="cancel" /></button></div>`)}</div>`;
}
