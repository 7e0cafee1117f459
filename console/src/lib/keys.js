// The keyboard. One listener; screens and dialogs add their keys while they are shown, and the last one added wins.

/** @typedef {Record<string, {label: string, run: (event: KeyboardEvent) => void, hidden?: boolean}>} Keys */

const PATIENCE = 1200; // between g and the letter after it
/** @type {(() => Keys)[]} */
const layers = [];
let prefix = "";
let timer = 0;

/** Adds keys; returns what removes them. @param {() => Keys} keys */
export function bind(keys) {
  layers.push(keys);
  return () => void layers.splice(layers.indexOf(keys), 1);
}

/** All keys that work now, each once. @returns {[string, string][]} */
export function bound() {
  const all = new Map();
  for (const layer of layers) for (const [key, { label, hidden }] of Object.entries(layer())) if (!hidden) all.set(key, label);
  return [...all];
}

const isTyping = (target) => target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  && !["checkbox", "radio", "button"].includes(/** @type {HTMLInputElement} */ (target).type);

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") /** @type {HTMLElement} */ (event.target).blur();
    return;
  }
  if (document.querySelector("dialog[open]") && event.key !== "?") return;
  // Enter and Space on a button or a link are the browser's.
  if ([" ", "Enter"].includes(event.key) && event.target instanceof HTMLElement && event.target.closest("a, button, summary")) return;
  const pressed = prefix ? `${prefix} ${event.key}` : event.key;
  clearTimeout(timer);
  prefix = "";
  for (const layer of [...layers].reverse()) {
    const keys = layer();
    if (keys[pressed]) {
      event.preventDefault();
      keys[pressed].run(event);
      return;
    }
    if (Object.keys(keys).some((key) => key.startsWith(`${pressed} `))) {
      prefix = pressed;
      timer = setTimeout(() => (prefix = ""), PATIENCE);
      event.preventDefault();
      return;
    }
  }
});
