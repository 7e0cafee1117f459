// 9 Documents, one of them: its pages with a box around each word, and what was found, linked to where it stands.
import { html } from "htm/preact";
import { useEffect, useMemo, useState } from "preact/hooks";

import { call, rpc } from "../lib/api.js";
import { bytes, percent, plural, words } from "../lib/format.js";
import { Icon } from "../lib/icons.js";
import { href, setQuery } from "../lib/router.js";
import { register } from "../lib/screens.js";
import { useKeys, useRpc, useTitle } from "../lib/use.js";
import { Action, confirm } from "../parts/act.js";
import { Empty, Fetched, Id, Panel, Progress, State, Tabs, Time } from "../parts/bits.js";
import { Confidence, DocumentState, reasonText, reviewText } from "./documents.js";

const STAGES = ["security", "ocr", "spatial", "pass1", "pass2", "pass3"];
const WIDE = 800; // of the drawing, whatever the page is measured in

/** The file itself, once it was revealed: as the address of an image or of a PDF in this tab. */
function useFile(id, may) {
  const [file, setFile] = useState(/** @type {{url: string, type: string} | null} */ (null));
  useEffect(() => {
    if (!may) return void setFile(null);
    let url = "";
    let gone = false;
    call(`/functions/v1/documents/v1/documents/${id}/file`).then(async (answer) => {
      if (!answer.ok || gone) return;
      const blob = await answer.blob();
      const type = answer.headers.get("content-type")?.split(";")[0] ?? blob.type;
      // Only what is shown as a picture or a PDF; anything else could be a page with scripts.
      if (gone || !/^(image\/(png|jpeg|gif|webp)|application\/pdf)$/.test(type)) return;
      url = URL.createObjectURL(new Blob([blob], { type }));
      setFile({ url, type });
    }).catch(() => {}); // the page is then drawn from its words
    return () => {
      gone = true;
      if (url) URL.revokeObjectURL(url);
    };
  }, [id, may]);
  return file;
}

/** The file's picture as the page was turned to be read. It was made large enough for all of the turned one, so it is smaller than the page where the angle is slight. */
function Picture({ href: address, turned, height }) {
  const [cos, sin] = [Math.cos, Math.sin].map((of) => Math.abs(of((turned * Math.PI) / 180)));
  const span = cos ** 2 - sin ** 2;
  const wide = (WIDE * cos - height * sin) / span;
  const high = (height * cos - WIDE * sin) / span;
  return html`<image href=${address} x=${(WIDE - wide) / 2} y=${(height - high) / 2} width=${wide} height=${high} transform=${turned ? `rotate(${turned} ${WIDE / 2} ${height / 2})` : undefined} preserveAspectRatio="none" />`;
}

/** A page: the picture where there is one, otherwise its words where they stand. */
function Sheet({ data, page, picture, chosen, onChoose }) {
  const height = Math.round(WIDE * (page ? page.height / page.width || 1.4 : 1.4));
  const place = ([left, top, right, bottom]) => ({ x: left * WIDE, y: top * height, width: Math.max(1, (right - left) * WIDE), height: Math.max(1, (bottom - top) * height) });
  const drawn = useMemo(() => data.words.map(([text, box, confidence], index) => {
    const at = place(box);
    const unsure = confidence !== null && confidence < data.enough.word;
    return html`<g class=${`word ${unsure ? "unsure" : ""}`} key=${index}><rect x=${at.x} y=${at.y} width=${at.width} height=${at.height} rx="1.5"><title>${text}${confidence === null ? "" : `, confidence ${percent(confidence)}`}</title></rect>
      ${!picture && html`<text x=${at.x} y=${at.y + at.height * 0.8} font-size=${(at.height * 0.88).toFixed(1)} textLength=${at.width.toFixed(1)} lengthAdjust="spacingAndGlyphs" aria-hidden="true">${text}</text>`}</g>`;
  }), [data.words, picture, height]);
  const facts = data.facts.filter((fact) => fact.page === data.page && fact.box);
  const doubts = data.doubts.filter((doubt) => doubt.page === data.page && doubt.box && doubt.fact === null);
  return html`<div class="sheet" tabindex="0" role="region" aria-label=${`Page ${data.page}`}><svg viewBox=${`0 0 ${WIDE} ${height}`} role="img" aria-label=${`Page ${data.page}: ${plural(data.words.length, "word")}, ${plural(facts.length, "fact")}`}>
    <rect class="paper" width=${WIDE} height=${height} />${picture && html`<${Picture} href=${picture} turned=${page.turned} height=${height} />`}
    ${drawn}
    ${doubts.map((doubt) => { const at = place(doubt.box); return html`<rect class="doubt-box" x=${at.x - 3} y=${at.y - 3} width=${at.width + 6} height=${at.height + 6} rx="3"><title>${reasonText(doubt.reason)}: ${doubt.text}</title></rect>`; })}
    ${facts.map((fact) => { const at = place(fact.box); return html`<rect class=${`fact-box ${fact.number === chosen ? "on" : ""} ${fact.doubts.length || (fact.confidence !== null && fact.confidence < data.enough.fact) ? "unsure" : ""}`} x=${at.x - 3} y=${at.y - 3} width=${at.width + 6} height=${at.height + 6} rx="3"
      onMouseEnter=${() => onChoose(fact.number)} onClick=${() => onChoose(fact.number, true)}><title>${fact.kind}: ${fact.name}</title></rect>`; })}</svg></div>`;
}

const plain = (part) => (typeof part === "object" && part !== null ? JSON.stringify(part) : String(part));
/** A value as a person would write it: 11.2 g/dL (12–15.5), then whatever else is known by its name. */
function valueText(value) {
  if (value === null || typeof value !== "object") return value === null ? "" : String(value);
  const { value: amount, unit, dose, frequency, low, high, ...rest } = value;
  const first = [amount ?? dose, unit, frequency].filter((part) => part !== undefined && part !== null).map(plain).join(" ");
  const range = low !== undefined && high !== undefined && low !== null && high !== null ? ` (${plain(low)}–${plain(high)})` : "";
  const others = Object.entries(rest).filter(([, part]) => part !== null).map(([name, part]) => `${words(name)} ${plain(part)}`);
  return [first + range, ...others].filter(Boolean).join(", ");
}

const HOLDS = ["current", "changed"];
/** Whether a fact holds now and what decided it, where that is not the usual. */
function Standing({ fact }) {
  const said = [fact.status !== "current" && words(fact.status), fact.certainty !== "certain" && fact.certainty].filter(Boolean).join(", ");
  return html`${said && html` <span class=${`tag ${HOLDS.includes(fact.status) ? "" : "warn"}`}>${said}</span>`}${fact.decided_by?.text && html` <span class="faint small">by <q class="isolate breaks">${fact.decided_by.text}</q></span>`}
    ${fact.written && html`<span class="small soft block breaks"><q class="isolate">${fact.written}</q></span>`}${fact.doubts.length > 0 && html`<span class="small warn block">${fact.doubts.map(reasonText).join(", ")}</span>`}`;
}

/** What was found, what is in doubt first. Each leads to its box, on whatever page that is. */
function FactList({ data, chosen, onChoose, onPage }) {
  if (!data.facts.length) return html`<${Empty} icon="documents" title="No facts yet"><p>They are found by the last stages; see the stages below.</p><//>`;
  return html`<ul class="fact-list">${data.facts.map((fact) => html`<li class=${fact.number === chosen ? "on" : ""} id=${`fact-${fact.number}`}><button type="button" class="ghost" aria-pressed=${fact.number === chosen} onMouseEnter=${() => onChoose(fact.number)}
      onFocus=${() => onChoose(fact.number)} onClick=${() => { if (fact.page && fact.page !== data.page) onPage(fact.page); onChoose(fact.number); }}>
    <span class="fact-kind faint">${words(fact.kind)}</span><span class="grow"><b class="isolate breaks">${fact.name}</b> <span class="soft isolate breaks">${valueText(fact.value)}</span>${fact.code && html` <code class="small">${fact.code_system} ${fact.code}</code>`}<${Standing} fact=${fact} /></span>
    <span class="fact-right"><${Confidence} value=${fact.confidence} enough=${data.enough.fact} />${fact.page && html`<span class="faint small">page ${fact.page}${fact.box ? "" : ", no box"}</span>`}</span></button></li>`)}</ul>`;
}

const EntityList = ({ data }) => (data.entities.length ? html`<ul class="entities">${data.entities.map((entity) => html`<li><span class="faint small">${entity.kind}</span> <span class="isolate breaks">${entity.text}</span> <${Confidence} value=${entity.confidence} enough=${data.enough.fact} /></li>`)}</ul>`
  : html`<p class="faint small pad">None yet.</p>`);

function Narrative({ narrative }) {
  if (!narrative) return html`<p class="faint small pad">Written by the last stage.</p>`;
  if (typeof narrative.sentences === "number") return html`<p class="soft small pad">${plural(narrative.sentences, "sentence")} and ${plural(narrative.timeline, "entry", "entries")} of a timeline, masked.</p>`;
  const text = (entry) => (typeof entry === "string" ? entry : entry.text ?? entry.sentence ?? JSON.stringify(entry));
  return html`<div class="pad stack">${narrative.sentences.map((entry) => html`<p class="isolate breaks">${text(entry)}</p>`)}</div>`;
}

/** Why a person should look, and how the review is ended. */
function Review({ data, document: doc, onChoose, onPage, reload }) {
  if (doc.reviewed) return html`<${Panel} title="Review"><p><b>${doc.reviewed.decision}</b> <span class="soft"><${Time} at=${doc.reviewed.at} />${doc.reviewed.note ? html`: <span class="isolate breaks">${doc.reviewed.note}</span>` : ""}</span></p><//>`;
  if (doc.status !== "needs_review") return null;
  const end = (decision, title, verb, body) => confirm({ title, verb, body, danger: decision === "unusable",
    run: async (reason) => { await rpc("console_review_document", { p_id: doc.id, p_decision: decision, p_reason: reason }); await reload(); return "The review has ended. The document is completed."; } });
  return html`<${Panel} title="In doubt" flush note=${data.doubts.length} actions=${html`<${Action} label="Confirm" onClick=${() => end("confirmed", "Confirm what was read", "Confirm", "You have compared what is in doubt with the page, and what was read is right. The document is completed, and the audit log keeps that you said so.")} />
      <${Action} danger label="Unusable" onClick=${() => end("unusable", "Mark as unusable", "Mark as unusable", "What was read must not be relied on. The document is completed with that decision, and the audit log keeps that you said so.")} />`}>
    <ul class="doubts">${data.doubts.map((doubt) => html`<li><button type="button" class="ghost" onClick=${() => { if (doubt.page && doubt.page !== data.page) onPage(doubt.page); if (doubt.fact) onChoose(doubt.fact, true); }}>
      <b class="warn">${reasonText(doubt.reason)}</b> ${doubt.text && html`<q class="isolate breaks soft">${doubt.text}</q>`}<span class="space" />${doubt.page && html`<span class="faint small nowrap">page ${doubt.page}</span>`}</button></li>`)}</ul><//>`;
}

function Stages({ document }) {
  const at = STAGES.indexOf(document.stage);
  const isDone = ["completed", "needs_review"].includes(document.status);
  return html`<ol class="stages">${STAGES.map((stage, index) => {
    const job = document.stage_jobs[stage];
    const state = isDone || index < at ? "good" : index > at || at < 0 ? "idle" : ["failed", "refused", "infected"].includes(document.status) ? "bad" : "run";
    const label = { good: "done", run: "running", bad: document.status, idle: "to come" }[state];
    return html`<li><${State} of=${stage} tone=${state} label=${label} /><b>${stage}</b>${job && html`<${Id} id=${job} to=${href("job", [job])} />`}</li>`;
  })}</ol>`;
}

function Document({ args, query }) {
  const [id] = args;
  const number = Math.max(1, Number(query.page) || 1);
  const from = useRpc("console_document", { p_id: id, p_page: number }, { every: 4 });
  const data = from.data;
  const [chosen, setChosen] = useState(/** @type {number | null} */ (null));
  const view = query.view ?? "facts";
  const file = useFile(id, Boolean(data?.actions?.file));
  useTitle(data?.document?.filename ?? "Document");
  const count = data?.pages?.length ?? 0;
  const turn = (to) => to >= 1 && to <= count && setQuery({ page: to === 1 ? "" : to });
  useKeys({ "[": { label: "Page before", run: () => turn(number - 1) }, "]": { label: "Next page", run: () => turn(number + 1) } });
  const choose = (fact, isScrolled = false) => {
    setChosen(fact);
    if (isScrolled) document.getElementById(`fact-${fact}`)?.scrollIntoView({ block: "nearest" });
  };
  const reveal = () => confirm({ title: "Reveal this document", verb: "Reveal for ten minutes", needs: "admin", body: "Its texts are shown to you and its file can be read, for ten minutes. The audit log keeps that you did so, and why.",
    run: async (reason) => { await rpc("console_reveal_document", { p_id: id, p_reason: reason }); await from.reload(); return "Revealed for ten minutes."; } });
  return html`<${Fetched} from=${from} rows=${10}>${({ document: doc }) => {
    if (!doc) return html`<${Empty} icon="documents" title="There is no such document"><p>It never existed, or it was erased. <a href=${href("documents")}>To the documents</a></p><//>`;
    const page = data.pages.find((one) => one.number === number);
    const picture = file?.type.startsWith("image/") && number === 1 ? file.url : null;
    return html`<div class="stack"><div class="verdict ${doc.review.reasons.length ? "warn" : "good"}"><${DocumentState} status=${doc.status} /><b class="isolate cut">${doc.filename}</b><span class="soft">${doc.mime_type}, ${bytes(doc.size)}${doc.page_count ? `, ${plural(doc.page_count, "page")}` : ""}</span>
        ${doc.review.reasons.length > 0 && html`<span class="warn">${reviewText(doc.review)}</span>`}<span class="space" />${file?.type === "application/pdf" && html`<a href=${file.url} download=${doc.filename}>Save the PDF</a>`}
        ${data.masked ? html`<${Action} needs="admin" icon="eye" label="Reveal" onClick=${reveal} />` : html`<span class="soft small">texts are shown</span>`}</div>
      ${doc.error?.message && html`<p class="banner breaks isolate">${doc.error.message}</p>`}
      ${["uploaded", "processing"].includes(doc.status) && html`<${Progress} value=${doc.percent} label=${`${doc.percent}%`} />`}
      <div class="reading"><${Panel} title=${count ? `Page ${number} of ${count}` : "Pages"} flush note=${page ? html`<span class="hide-phone">${words(page.source)} </span>${page.turned ? html`<span class="soft small">turned by ${Math.round(page.turned * 10) / 10}° </span>` : ""}<${Confidence} value=${page.confidence} enough=${data.enough.page} />` : ""}
          actions=${html`<button type="button" class="ghost square" aria-label="Page before" disabled=${number <= 1} onClick=${() => turn(number - 1)}><${Icon} name="left" /></button><button type="button" class="ghost square" aria-label="Next page" disabled=${number >= count} onClick=${() => turn(number + 1)}><${Icon} name="right" /></button>`}>
          ${page ? html`<${Sheet} data=${data} page=${page} picture=${picture} chosen=${chosen} onChoose=${choose} />` : html`<${Empty} icon="documents" title="Nothing was read yet"><p>${["completed", "needs_review"].includes(doc.status) ? "This page has no text." : "Pages appear as soon as the stage ocr has read them."}</p><//>`}<//>
        <div class="stack"><${Review} data=${data} document=${doc} onChoose=${choose} onPage=${turn} reload=${from.reload} /><${Panel} title="Found" flush actions=${html`<${Tabs} label="What was found" chosen=${view} onChoose=${(name) => setQuery({ view: name === "facts" ? "" : name })} tabs=${[["facts", `Facts ${data.facts.length}`], ["entities", `Mentions ${data.entities.length}`], ["narrative", "Story"]]} />`}>
            <div class="found-list" tabindex="0" role="region" aria-label="What was found">${view === "facts" ? html`<${FactList} data=${data} chosen=${chosen} onChoose=${choose} onPage=${turn} />` : view === "entities" ? html`<${EntityList} data=${data} />` : html`<${Narrative} narrative=${data.narrative} />`}</div><//>
          <${Panel} title="Stages" flush><${Stages} document=${doc} /><//>
          <${Panel} title="Audit" flush>${data.audit.length ? html`<ol class="events">${data.audit.map((row) => html`<li><b>${words(row.action)}</b><span class="grow soft breaks isolate">${row.email ?? row.source}${row.reason ? `: ${row.reason}` : ""}</span><span class="small soft"><${Time} at=${row.at} /></span></li>`)}</ol>` : html`<p class="faint small pad">Nothing yet.</p>`}<//></div></div></div>`;
  }}<//>`;
}

register({ name: "document", label: "Document", icon: "documents", group: "Applications", part: "documents", unlisted: true, view: Document });
