// 11 Exports: what was asked for and how far it is; the PDF itself, once it was revealed.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";

import { call, read, rpc } from "../lib/api.js";
import { bytes, plural } from "../lib/format.js";
import { href, setQuery } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useTitle } from "../lib/use.js";
import { Action, confirm, Dialog } from "../parts/act.js";
import { Empty, Id, Panel, Problem, Progress, State, Time, Waiting } from "../parts/bits.js";
import { SearchBox } from "../parts/search.js";
import { Further, Table } from "../parts/table.js";
import { usePages } from "./workflows.js";

const KEYS = { status: "pending, processing, completed, failed …", template: "of the PDF", owner: "a user's id", id: "its id", since: "created after: 2h, 7d", until: "created before" };
const QUICK = [["All", ""], ["Under way", "status:pending,processing,retrying,deferred"], ["Completed", "status:completed"], ["Failed", "status:failed"]];

/** The PDF in a frame of its own. Its address ends with the dialog. */
function Preview({ row, onClose }) {
  const [state, setState] = useState(/** @type {any} */ ({}));
  useEffect(() => {
    let url = "";
    let gone = false;
    call(`/functions/v1/export/v1/exports/${row.id}/download`).then(async (answer) => {
      if (!answer.ok) return void (await read(answer, "export"));
      const blob = await answer.blob();
      if (gone) return;
      url = URL.createObjectURL(new Blob([blob], { type: "application/pdf" }));
      setState({ url });
    }).catch((error) => !gone && setState({ error }));
    return () => {
      gone = true;
      if (url) URL.revokeObjectURL(url);
    };
  }, [row.id]);
  return html`<${Dialog} title=${row.title} onClose=${onClose} wide><div class="dialog-body">${state.error ? html`<${Problem} error=${state.error} />` : state.url ? html`<iframe class="pdf" src=${`${state.url}#navpanes=0&view=FitH`} title=${`${row.title} as PDF`} />` : html`<${Waiting} rows=${8} />`}</div>
    <footer>${state.url && html`<a href=${state.url} download=${row.file.name}>Save</a>`}<span class="space" /><button type="button" onClick=${onClose}>Close</button></footer><//>`;
}

function Exports({ query }) {
  useTitle("Exports");
  const search = query.q ?? "";
  const found = usePages("console_exports", search, "exports", 2);
  const [shown, setShown] = useState(/** @type {any} */ (null));
  const run = (q) => setQuery({ q }, { replace: false });
  const preview = (row) => confirm({ title: `Open ${row.title}`, verb: "Open", needs: "admin", body: "The PDF is a user's document. You can read it for ten minutes; the audit log keeps that you did so, and why.",
    run: async (reason) => { await rpc("console_reveal_export", { p_id: row.id, p_reason: reason }); setShown(row); } });
  const columns = [
    { name: "title", label: "Export", main: true, class: "text", cell: (row) => html`<div class="job-name"><a class="open isolate cut" href=${href("job", [row.id])} title=${row.title}>${row.title}</a><${Id} id=${row.id} /></div>` },
    { name: "status", label: "State", cell: (row) => html`<${State} of=${row.status} label=${row.status === "failed" ? "failed" : undefined} />` },
    { name: "progress", label: "Progress", class: "text", cell: (row) => (row.status === "failed" ? html`<span class="cut isolate soft" title=${row.message}>${row.message}</span>` : html`<div class="progress-cell"><${Progress} value=${row.progress ?? 0} tone=${row.status === "completed" ? "good" : "run"} label=${`${row.progress ?? 0}%`} /><span class="num small soft">${row.progress ?? 0}%</span></div>`) },
    { name: "template", label: "Template", cell: (row) => html`<span class="soft isolate">${row.template}</span>` },
    { name: "owner", label: "Owner", cell: (row) => html`<${Id} id=${row.owner} to=${href("exports", [], { q: `owner:${row.owner}` })} />` },
    { name: "file", label: "File", align: "right", cell: (row) => (row.file ? html`<span class="num nowrap soft">${plural(row.file.pages, "page")}, ${bytes(row.file.size)}</span>` : html`<span class="faint">–</span>`) },
    { name: "created", label: "Asked for", cell: (row) => html`<${Time} at=${row.created_at} />` },
    { name: "open", label: "Preview", cell: (row) => (row.file ? html`<${Action} needs="admin" icon="eye" label="Open" onClick=${() => preview(row)} />` : html`<span class="faint">–</span>`) },
  ];
  return html`<div class="stack"><${SearchBox} value=${search} onSearch=${run} keys=${KEYS} label="Search exports" placeholder="Search exports: status:failed since:24h resume" error=${found.error?.code === "GM110" ? found.error : null} />
    <div class="chips" role="group" aria-label="Common searches">${QUICK.map(([label, q]) => html`<button type="button" class=${`chip ${search === q ? "on" : ""}`} aria-pressed=${search === q} onClick=${() => run(q)}>${label}</button>`)}</div>
    <${Panel} title="Exports" flush note=${found.rows ? `${found.rows.length}${found.done ? "" : "+"} shown` : ""}>${found.error && found.error.code !== "GM110" && html`<${Problem} error=${found.error} retry=${found.reload} />`}
      ${found.rows === null ? !found.error && html`<${Waiting} />` : found.rows.length ? html`<${Table} label="Exports" columns=${columns} rows=${found.rows} keyOf=${(row) => row.id} to=${(row) => href("job", [row.id])} />`
        : html`<${Empty} icon="exports" title=${search ? "No export matches" : "No export yet"}><p>${search ? "Take a term away." : "Users ask for them by request_export: see docs/exports.md. Each is shown here while it is set."}</p><//>`}
      ${found.rows?.length > 0 && html`<${Further} looked=${found.looked} done=${found.done} loading=${found.loading} count=${found.rows.length} full=${found.full} onMore=${found.more} />`}<//>
    ${shown && html`<${Preview} row=${shown} onClose=${() => setShown(null)} />`}</div>`;
}

register({ name: "exports", label: "Exports", icon: "exports", key: "e", group: "Applications", part: "exports", view: Exports });
