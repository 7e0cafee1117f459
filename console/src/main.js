// The console: signs in, then shows the screen that the address names.
import { effect } from "@preact/signals";
import { html } from "htm/preact";
import { render } from "preact";

import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/parts.css";
import "./styles/screens.css";
import "./styles/applications.css";

import { config, loadConfig } from "./lib/config.js";
import { begin, refusal, start } from "./lib/live.js";
import { resume, session, takeKey } from "./lib/session.js";
import { Problem } from "./parts/bits.js";
import { Refused, Shell } from "./shell.js";
import { SignIn } from "./sign-in.js";

import "./screens/overview.js";
import "./screens/jobs.js";
import "./screens/job.js";
import "./screens/queue.js";
import "./screens/dead.js";
import "./screens/workflows.js";
import "./screens/workflow.js";
import "./screens/schedules.js";
import "./screens/health.js";
import "./screens/audit.js";
import "./screens/documents.js";
import "./screens/document.js";
import "./screens/refresh.js";
import "./screens/exports.js";
import "./screens/usage.js";

takeKey();

function Page() {
  if (session.value.state === "out") return html`<${SignIn} reason=${session.value.reason} />`;
  if (refusal.value) return html`<${Refused} error=${refusal.value} />`;
  if (session.value.state === "starting" || !start.value) return html`<div class="splash" role="status">One moment …</div>`;
  return html`<${Shell} />`;
}

const root = /** @type {HTMLElement} */ (document.getElementById("app"));
effect(() => {
  if (session.value.state === "in") begin();
  else start.value = null;
});
try {
  await loadConfig();
  await resume();
  render(html`<${Page} />`, root);
} catch (error) {
  console.error(error);
  render(html`<main class="splash"><${Problem} error=${{ message: "The console could not start.", advice: `Reload the page. If it stays so, look whether config.json beside it can be read (${config.api || location.origin}).` }} /></main>`, root);
}
