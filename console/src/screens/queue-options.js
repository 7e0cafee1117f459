// The options of a queue as a form: what each does, what it may be, who has set it.
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { rpc } from "../lib/api.js";
import { plural, sentence } from "../lib/format.js";
import { confirm, mayAct } from "../parts/act.js";
import { Panel } from "../parts/bits.js";

const SETTERS = { default: "", part: "set by Gristmill", registered: "registered by your code", operator: "changed by an operator" };
const show = (value) => (value === null ? "none" : String(value));

function read(option, text) {
  if (option.type === "boolean") return Boolean(text);
  if (text === "") return option.nullable ? null : "";
  return ["integer", "number"].includes(option.type) ? Number(text) : text;
}

function Field({ option, value, onChange, disabled }) {
  const id = `option-${option.name}`;
  const common = { id, disabled, "aria-describedby": `${id}-note` };
  if (option.type === "boolean") return html`<input ...${common} type="checkbox" checked=${value} onChange=${(event) => onChange(event.target.checked)} />`;
  if (option.choices?.length) return html`<select ...${common} value=${value ?? ""} onChange=${(event) => onChange(read(option, event.target.value))}>${option.nullable && html`<option value="">none</option>`}${option.choices.map((choice) => html`<option value=${choice}>${choice}</option>`)}</select>`;
  const numeric = ["integer", "number"].includes(option.type);
  return html`<input ...${common} type=${numeric ? "number" : "text"} min=${option.min} max=${option.max} step=${option.type === "integer" ? 1 : "any"} value=${value ?? ""} placeholder=${option.nullable ? "none" : ""} required=${!option.nullable} onInput=${(event) => onChange(read(option, event.target.value))} />`;
}

/** @param {{queue: string, options: any[], onSaved: () => void}} props */
export function Options({ queue, options, onSaved }) {
  const [changed, setChanged] = useState(/** @type {Record<string, any>} */ ({}));
  const groups = options.reduce((all, option) => ({ ...all, [option.group ?? "other"]: [...(all[option.group ?? "other"] ?? []), option] }), {});
  const edits = Object.entries(changed);
  const set = (option, value) => setChanged((before) => {
    const { [option.name]: _, ...others } = before;
    return value === option.value ? others : { ...others, [option.name]: value };
  });
  const save = (event) => {
    event.preventDefault();
    confirm({ title: `Change ${plural(edits.length, "option")} of ${queue}?`, verb: "Change",
      body: html`<ul class="changes">${edits.map(([name, value]) => html`<li><span class="mono">${name}</span> <s class="faint">${show(options.find((option) => option.name === name).value)}</s> <b>${show(value)}</b></li>`)}</ul>`,
      run: async (reason) => {
        await rpc("console_set_queue", { p_queue: queue, p_options: changed, p_reason: reason });
        setChanged({});
        onSaved();
        return `${queue} is changed. Claims follow it at once.`;
      } });
  };
  return html`<form class="stack" onSubmit=${save}>${Object.entries(groups).map(([group, list]) => html`<${Panel} title=${sentence(group)} flush><ul class="options">${list.map((option) => {
    const value = option.name in changed ? changed[option.name] : option.value;
    return html`<li class=${option.name in changed ? "changed" : ""}><div class="grow"><label for=${`option-${option.name}`}><b>${sentence(option.name)}</b></label><p class="soft breaks" id=${`option-${option.name}-note`}>${option.sentence}</p>
      <p class="faint small">${[`default ${show(option.default)}`, option.min !== null && option.max !== null && ["integer", "number"].includes(option.type) ? `${option.min} to ${option.max}` : "", SETTERS[option.set_by]].filter(Boolean).join(" · ")}</p></div>
      <div class="option-value"><${Field} option=${option} value=${value} disabled=${!mayAct(option.needs ?? "admin")} onChange=${(next) => set(option, next)} />${option.unit && html`<span class="faint small">${option.unit}</span>`}</div></li>`;
  })}</ul><//>`)}
  <div class=${`save ${edits.length ? "on" : ""}`}>${edits.length ? html`<b>${plural(edits.length, "change")}</b><span class="space" /><button type="button" onClick=${() => setChanged({})}>Undo</button><button class="primary">Review and save</button>`
    : html`<span class="faint">${mayAct("admin") ? "Nothing is changed." : "Changing options needs the role admin."}</span>`}</div></form>`;
}
