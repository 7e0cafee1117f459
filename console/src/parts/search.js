// The search box: one text, with completion of keys and values, as a combobox that screen readers know.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { rpc } from "../lib/api.js";
import { Icon } from "../lib/icons.js";

const KEYS = {
  kind: "what the job is", queue: "where it waits", state: "pending, processing, dead …", error: "part of its error", since: "created after: 2h, 7d, 2026-11-18",
  until: "created before", owner: "a user's id", group: "its group key", id: "a job's id", name: "its name", correlation: "of one request", worker: "who ran it",
  parent: "what it is a piece of", priority: "a number, >3, <3", attempt: "a number, >3, <3", "payload.": "payload.user_id=42", "column:payload.": "adds a column of the payload",
};
const STATES = ["pending", "processing", "deferred", "retrying", "completed", "cancelled", "dead", "live", "waiting"];
const TIMES = ["15m", "1h", "24h", "7d"];
const ASKED = ["kind", "queue", "name", "group", "worker", "owner", "error", "correlation"];
const PAUSE = 120;

/** The term at the caret: where it begins, its key and what is typed of its value. */
export function termAt(text, caret) {
  const begin = text.slice(0, caret).search(/(?:"[^"]*"?|[^\s"])*$/);
  const typed = text.slice(begin, caret);
  const [, minus, key, value] = /^(-?)(?:([a-z]+):)?(.*)$/s.exec(typed) ?? [];
  const listed = (value ?? "").lastIndexOf(",") + 1;
  return { begin, minus: minus ?? "", key: key ?? "", value: (value ?? "").slice(listed), listed, typed };
}

const quote = (value) => (/[\s,"]/.test(value) ? `"${value.replace(/"/g, "")}"` : value);

async function choices(term, keys) {
  const { key, value } = term;
  if (!key) return Object.entries(keys).filter(([name]) => name.startsWith(value)).map(([name, note]) => ({ value: name, note, whole: name.endsWith(".") ? name : `${name}:` }));
  if (!(key in keys)) return [];
  const fixed = { state: STATES, since: TIMES, until: TIMES }[key];
  if (fixed) return fixed.filter((name) => name.startsWith(value)).map((name) => ({ value: name, note: "" }));
  if (!ASKED.includes(key)) return [];
  const answer = await rpc("console_suggest", { p_field: key, p_prefix: value.replace(/^"|"$/g, "") });
  return answer.values;
}

/**
 * @param {object} props
 * @param {string} props.value
 * @param {(text: string) => void} props.onSearch
 * @param {any} [props.error]  the refusal of the last search, with the place in its details
 * @param {Record<string, string>} [props.keys]  what can be asked for
 * @param {string} [props.placeholder]
 * @param {string} [props.label]
 * @param {boolean} [props.complete]  whether it completes what is typed
 */
export function SearchBox({ value, onSearch, error = null, keys = KEYS, placeholder = "Search jobs: kind:send_email state:dead payload.user_id=42", label = "Search jobs", complete = true }) {
  const [text, setText] = useState(value);
  const [list, setList] = useState(/** @type {any[]} */ ([]));
  const [at, setAt] = useState(-1);
  const input = useRef(/** @type {any} */ (null));
  const timer = useRef(0);
  const asked = useRef(0);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const suggest = () => {
    if (!complete) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(async () => {
      const mine = ++asked.current;
      const term = termAt(input.current.value, input.current.selectionStart ?? 0);
      const found = await choices(term, keys).catch(() => []);
      if (mine !== asked.current || document.activeElement !== input.current) return;
      setList(found.slice(0, 20));
      setAt(-1);
    }, PAUSE);
  };
  const close = () => {
    asked.current++;
    clearTimeout(timer.current);
    setList([]);
    setAt(-1);
  };
  const take = (choice) => {
    const caret = input.current.selectionStart ?? text.length;
    const term = termAt(text, caret);
    const head = term.key ? text.slice(0, term.begin + term.minus.length + term.key.length + 1 + term.listed) : text.slice(0, term.begin) + term.minus;
    const filled = choice.whole ?? `${quote(choice.value)} `;
    const next = head + filled + text.slice(caret).replace(/^\s+/, "");
    // At once, and not when it is drawn: whoever types on would else find the caret moved.
    input.current.value = next;
    input.current.setSelectionRange(head.length + filled.length, head.length + filled.length);
    setText(next);
    close();
    if (choice.whole) suggest();
  };
  const submit = (event) => {
    event.preventDefault();
    close();
    onSearch(text.trim());
  };
  const press = (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (steps[event.key] && list.length) {
      event.preventDefault();
      setAt((at + steps[event.key] + list.length + (at < 0 && event.key === "ArrowUp" ? 1 : 0)) % list.length);
    } else if ((event.key === "Enter" || event.key === "Tab") && at >= 0 && list[at]) {
      event.preventDefault();
      take(list[at]);
    } else if (event.key === "Escape" && list.length) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  const place = placeOf(error);
  return html`<form class="search" role="search" onSubmit=${submit}>
    <${Icon} name="search" />
    <input ref=${input} id="search" type="text" role="combobox" spellcheck="false" autocomplete="off" autocapitalize="off" maxlength="500" aria-label=${label} aria-expanded=${list.length > 0} aria-controls="choices"
      aria-autocomplete="list" aria-activedescendant=${at >= 0 ? `choice-${at}` : undefined} aria-invalid=${Boolean(error)} placeholder=${placeholder} value=${text}
      onInput=${(event) => { setText(event.target.value); suggest(); }} onFocus=${suggest} onClick=${suggest} onBlur=${close} onKeyDown=${press} />
    ${text && html`<button type="button" class="ghost square" aria-label="Clear the search" onClick=${() => { setText(""); onSearch(""); }}><${Icon} name="cancel" /></button>`}
    <button type="submit" class="primary">Search</button>
    <ul id="choices" role="listbox" aria-label="Completions" hidden=${!list.length}>${list.map((choice, index) => html`<li id=${`choice-${index}`} role="option" aria-selected=${index === at}
      onMouseDown=${(event) => { event.preventDefault(); take(choice); }}><span class="mono isolate cut">${choice.value}</span><span class="faint cut">${choice.note}</span></li>`)}</ul>
    ${error && html`<p class="search-error" role="alert">${place ? html`<span class="mono breaks isolate">${text.slice(0, place.at)}<mark>${text.slice(place.at, place.at + place.length)}</mark>${text.slice(place.at + place.length)}</span>` : ""}<span class="bad breaks">${error.message} ${error.advice}</span></p>`}
  </form>`;
}

function placeOf(error) {
  try {
    const place = JSON.parse(error?.details ?? "null");
    return Number.isInteger(place?.at) ? place : null;
  } catch {
    return null;
  }
}

/** Puts the cursor into the search box of this screen, if there is one. */
export function focusSearch() {
  const box = /** @type {HTMLInputElement | null} */ (document.getElementById("search"));
  box?.focus();
  box?.select();
  return Boolean(box);
}
