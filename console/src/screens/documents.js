// 9 Documents, the list: what needs review first. A file that is dropped on it is uploaded in the name of whoever is signed in.
import { html } from "htm/preact";
import { useRef, useState } from "preact/hooks";

import { call, read } from "../lib/api.js";
import { bytes, percent, plural, words } from "../lib/format.js";
import { Icon } from "../lib/icons.js";
import { go, href, setQuery } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useTitle } from "../lib/use.js";
import { mayAct, say } from "../parts/act.js";
import { Empty, Id, Meter, Panel, Problem, Progress, State, Time, Waiting } from "../parts/bits.js";
import { SearchBox } from "../parts/search.js";
import { Further, Table } from "../parts/table.js";
import { usePages } from "./workflows.js";

const KEYS = { status: "uploaded, processing, completed, needs_review, failed, refused, infected", review: "yes: a person should look", stage: "security, ocr, pass1 …", type: "application/pdf, image/* …", profile: "whose it is", id: "its id", since: "created after: 2h, 7d", until: "created before" };
const QUICK = [["All", ""], ["Needs review", "review:yes"], ["In doubt", "status:needs_review"], ["Under way", "status:uploaded,processing"], ["Failed", "status:failed,refused,infected"]];
const REASONS = {
  failed: "did not come through", refused: "is not a file that is read", infected: "carries a virus", unsure_facts: "unsure facts", unsure_pages: "unsure pages",
  low_ocr_confidence: "a page was read unsurely", turned_page_corrected: "a page was turned", row_not_understood: "a row was not understood", flag_and_range_disagree: "flag and range disagree",
  date_is_ambiguous: "a date is ambiguous", low_confidence: "a fact is unsure", refused_answer: "the model said what is not on the page", unread_page: "a page could not be read",
  language_not_installed: "its language is not installed", language_not_understood: "its language is not understood",
};
const TONES = { uploading: "idle", uploaded: "run", processing: "run", completed: "good", needs_review: "warn", failed: "bad", refused: "bad", infected: "bad", erasing: "idle" };

export const DocumentState = ({ status }) => html`<${State} of=${status} tone=${TONES[status] ?? "idle"} label=${words(status)} />`;

/** A reason in words. */
export const reasonText = (reason) => REASONS[reason] ?? words(reason);

/** Why a person should look, in words; empty where nothing speaks for it. */
export const reviewText = ({ reasons, unsure_facts: facts, unsure_pages: pages }) =>
  reasons.map((reason) => (reason === "unsure_facts" ? plural(facts, "unsure fact") : reason === "unsure_pages" ? plural(pages, "unsure page") : reasonText(reason))).join(", ");

/** A confidence as a bar, and as a number for those who look closer. */
export function Confidence({ value, enough = 0.75 }) {
  if (value === null || value === undefined) return html`<span class="faint">–</span>`;
  return html`<span class="nowrap"><${Meter} value=${value} most=${1} tone=${value < enough ? "warn" : "good"} label=${`Confidence ${percent(value)}`} /> <span class=${`num small ${value < enough ? "warn" : "soft"}`}>${percent(value)}</span></span>`;
}

/** A place for files: by drag and drop, or by a button. */
function Drop({ onDone }) {
  const [over, setOver] = useState(false);
  const [busy, setBusy] = useState("");
  const [error, setError] = useState(/** @type {any} */ (null));
  const input = useRef(/** @type {any} */ (null));
  const send = async (files) => {
    setError(null);
    let last = /** @type {any} */ (null);
    for (const file of files) {
      setBusy(file.name);
      try {
        const answer = await call(`/functions/v1/documents/v1/documents?${new URLSearchParams({ filename: file.name })}`, { method: "POST", body: file, headers: { "content-type": file.type || "application/octet-stream" } });
        last = await read(answer, "documents");
      } catch (failure) {
        setError({ message: `${file.name} was not uploaded. ${failure.message}`, advice: failure.advice || "Look whether the function documents is deployed, and whether the file is one that is read: PDF, PNG, JPEG, TIFF or text." });
        break;
      }
    }
    setBusy("");
    if (!last) return;
    say(files.length === 1 ? "Uploaded. It is scanned and read now." : `${plural(files.length, "file")} uploaded.`);
    onDone();
    if (files.length === 1) go(href("document", [last.id]));
  };
  const drop = (event) => {
    event.preventDefault();
    setOver(false);
    send([...event.dataTransfer.files]);
  };
  return html`<div class=${`drop ${over ? "over" : ""}`} onDragOver=${(event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${drop}>
    <${Icon} name="documents" /><p class="grow">${busy ? html`Uploading <span class="isolate">${busy}</span> …` : html`<b>Drop files here</b> <span class="soft">to have them scanned and read as your own.</span>`}</p>
    <input ref=${input} type="file" class="unseen" multiple aria-label="Files to upload" tabindex="-1" onChange=${(event) => { send([...event.target.files]); event.target.value = ""; }} />
    <button type="button" disabled=${Boolean(busy)} onClick=${() => input.current.click()}><${Icon} name="plus" /><span>Choose files</span></button></div>${error && html`<${Problem} error=${error} />`}`;
}

const to = (row) => href("document", [row.id]);
const COLUMNS = [
  { name: "file", label: "Document", main: true, class: "text", cell: (row) => html`<div class="job-name"><a class="open isolate cut" href=${to(row)} title=${row.filename}>${row.filename}</a><${Id} id=${row.id} /></div>` },
  { name: "status", label: "State", cell: (row) => html`<${DocumentState} status=${row.status} />` },
  { name: "review", label: "Review", cell: (row) => (row.review.reasons.length ? html`<span class=${TONES[row.status] === "bad" ? "bad" : "warn"}>${reviewText(row.review)}</span>` : html`<span class="faint">–</span>`) },
  { name: "confidence", label: "Least confidence", cell: (row) => html`<${Confidence} value=${row.review.least_confidence} />` },
  { name: "progress", label: "Stage", cell: (row) => (row.status === "processing" || row.status === "uploaded" ? html`<div class="progress-cell"><${Progress} value=${row.percent} label=${`${row.percent}%`} /><span class="num small soft">${row.stage}</span></div>` : html`<span class="soft small">${row.error?.message ? html`<span class="cut isolate" title=${row.error.message}>${row.error.message}</span>` : row.stage ?? "–"}</span>`) },
  { name: "pages", label: "Pages", align: "right", cell: (row) => html`<span class="num">${row.page_count ?? "–"}</span>` },
  { name: "size", label: "Size", align: "right", cell: (row) => html`<span class="num nowrap soft">${bytes(row.size)}</span>` },
  { name: "uploaded", label: "Uploaded", cell: (row) => html`<${Time} at=${row.uploaded_at ?? row.created_at} />` },
];

function Documents({ query }) {
  useTitle("Documents");
  const search = query.q ?? "";
  const found = usePages("console_documents", search, "documents");
  const run = (q) => setQuery({ q }, { replace: false });
  // Without a search what needs review stands first; a search keeps the order of time.
  // The first page names those that wait for a review however old they are; the pages after it do not.
  const waiting = useRef(/** @type {any[]} */ ([]));
  if (found.waiting) waiting.current = found.waiting;
  const first = new Set(waiting.current.map((row) => row.id));
  const rows = (found.rows ?? []).filter((row) => !first.has(row.id));
  const needs = [...waiting.current, ...rows.filter((row) => row.review.reasons.length)];
  const others = rows.filter((row) => !row.review.reasons.length);
  const list = (title, rows, note) => html`<${Panel} title=${title} flush note=${note ?? rows.length}><${Table} label=${title} columns=${COLUMNS} rows=${rows} keyOf=${(row) => row.id} to=${to} /><//>`;
  return html`<div class="stack">${mayAct("operator") && html`<${Drop} onDone=${found.reload} />`}
    <${SearchBox} value=${search} onSearch=${run} keys=${KEYS} label="Search documents" placeholder="Search documents: review:yes status:failed since:7d scan.pdf" error=${found.error?.code === "GM110" ? found.error : null} />
    <div class="chips" role="group" aria-label="Common searches">${QUICK.map(([label, q]) => html`<button type="button" class=${`chip ${search === q ? "on" : ""}`} aria-pressed=${search === q} onClick=${() => run(q)}>${label}</button>`)}</div>
    ${found.error && found.error.code !== "GM110" && html`<${Problem} error=${found.error} retry=${found.reload} />`}
    ${found.rows === null ? !found.error && html`<${Panel} title="Documents" flush><${Waiting} /><//>`
      : found.rows.length === 0 && (search || !needs.length) ? html`<${Panel} title="Documents" flush><${Empty} icon="documents" title=${search ? "No document matches" : "No document yet"}><p>${search ? "Take a term away." : "Drop a file above, or see docs/documents.md for how an application uploads."}</p><//><//>`
      : search ? list("Documents", found.rows, `${found.rows.length}${found.done ? "" : "+"} shown`)
      : html`${needs.length > 0 && list("Needs review", needs)}${others.length > 0 && list(needs.length ? "Everything else" : "Documents", others)}`}
    ${found.rows?.length > 0 && html`<${Further} looked=${found.looked} done=${found.done} loading=${found.loading} count=${found.rows.length} full=${found.full} onMore=${found.more} />`}</div>`;
}

register({ name: "documents", label: "Documents", icon: "documents", key: "m", group: "Applications", part: "documents", owns: ["document"], view: Documents });
