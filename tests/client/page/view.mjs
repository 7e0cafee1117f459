// What the page of the tests shows: jobs, quotes and an upload, each by its hook. Rendered by the server too.
import { createElement as h, useState } from "react";

import { useJob, useSubscription, useUpload } from "../../../sdk/typescript/dist/react/index.js";

function Job({ id, of }) {
  const { state, progress, result, problem } = useJob(id, { of });
  return h("li", { className: "job", "data-state": state }, `${state} ${progress} % ${problem?.code ?? ""} `, h("code", null, result && of === undefined ? JSON.stringify(result) : ""));
}

function Quote({ symbol }) {
  const { rows, error } = useSubscription(symbol, "quote");
  return h("li", { className: "quote", "data-symbol": symbol }, `${symbol} `, h("b", null, error?.code ?? rows?.[0]?.price ?? "…"));
}

function Upload() {
  const { state, progress, document, error, send, cancel } = useUpload();
  return h("form", { className: "upload", "data-state": state },
    h("input", { type: "file", onChange: ({ target }) => send(target.files[0]) }),
    h("progress", { value: progress, max: 100 }),
    h("button", { type: "button", onClick: cancel }, "Cancel"),
    h("output", null, document?.id ?? error?.code ?? ""),
    document && h(Job, { id: document.id, of: "document" }));
}

export function View({ jobs = [], symbols = [], hasUpload = false, onReady }) {
  const [shown, show] = useState({ jobs, symbols, hasUpload });
  onReady?.(show);
  return h("main", null,
    h("ul", null, shown.jobs.map((id, at) => h(Job, { key: at, id }))),
    h("ul", null, shown.symbols.map((symbol, at) => h(Quote, { key: at, symbol }))),
    shown.hasUpload && h(Upload));
}
