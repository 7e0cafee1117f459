// What surrounds every screen: the list of screens, the head with the pulse, help, dialogs.
import { html } from "htm/preact";
import { Component } from "preact";
import { useEffect, useState } from "preact/hooks";

import { config } from "./lib/config.js";
import { compact } from "./lib/format.js";
import { Icon, Mark } from "./lib/icons.js";
import { bound } from "./lib/keys.js";
import { begin, connection, paused, pulse, rate, start } from "./lib/live.js";
import { theme, toggleTheme } from "./lib/prefs.js";
import { go, href, route } from "./lib/router.js";
import { screenNamed, shown } from "./lib/screens.js";
import { signOut } from "./lib/session.js";
import { title, useKeys } from "./lib/use.js";
import { Dialog, Layer } from "./parts/act.js";
import { Empty, Problem } from "./parts/bits.js";
import { focusSearch } from "./parts/search.js";

function Navigation({ onGo }) {
  const current = route.value.screen;
  const groups = group(shown());
  return html`<nav aria-label="Screens">${["Work", "Applications", "System"].filter((name) => groups[name]?.some((screen) => !screen.unlisted)).map((name) => html`<div class="nav-group"><h2 class="faint">${name}</h2><ul>
    ${groups[name].filter((screen) => !screen.unlisted).map((screen) => {
      const badge = screen.badge?.();
      const here = current === screen.name || screen.owns?.includes(current);
      return html`<li><a href=${href(screen.name)} aria-current=${here ? "page" : undefined} onClick=${onGo} title=${screen.key ? `g ${screen.key}` : undefined}><${Icon} name=${screen.icon} /><span>${screen.label}</span>
        ${badge && html`<b class=${`badge ${badge.tone ?? ""}`} aria-label=${badge.label}>${badge.count}</b>`}</a></li>`;
    })}</ul></div>`)}</nav>`;
}

const group = (screens) => screens.reduce((groups, screen) => ({ ...groups, [screen.group]: [...(groups[screen.group] ?? []), screen] }), {});

function Pulse() {
  const state = paused.value ? "paused" : connection.value;
  const text = { paused: "Paused", offline: "No answer", live: rate.value === null ? "Live" : `${compact(Math.round(rate.value * 10) / 10)} jobs/s` }[state];
  const label = { paused: "Live updates are paused. Press p to go on.", offline: "The deployment does not answer; trying again.", live: "Live updates are on. Press p to pause them." }[state];
  return html`<button type="button" class=${`ghost pulse ${state}`} onClick=${() => (paused.value = !paused.value)} aria-pressed=${paused.value} title=${label} aria-label=${`${text}. ${label}`}><i aria-hidden="true" /><span class="num">${text}</span></button>`;
}

function Help({ onClose }) {
  const [keys] = useState(() => bound());
  const going = keys.filter(([key]) => key.startsWith("g "));
  const others = keys.filter(([key]) => !key.startsWith("g "));
  const rows = (list) => html`<dl class="keys">${list.map(([key, label]) => html`<div><dt>${key.split(" ").map((part) => html`<kbd>${part}</kbd> `)}</dt><dd>${label}</dd></div>`)}</dl>`;
  return html`<${Dialog} title="Keyboard" onClose=${onClose} wide><div class="dialog-body two"><div><h3>Here</h3>${rows(others)}</div><div><h3>Go to</h3>${rows(going)}</div></div><//>`;
}

function Account() {
  const { actor, role } = start.value;
  return html`<div class="account"><div class="cut"><div class="cut" title=${actor?.email ?? actor?.sub}>${actor?.email ?? actor?.sub ?? "service"}</div><div class="faint small">${role} · ${start.value.version ?? config.version}</div></div>
    <button type="button" class="ghost square" aria-label="Sign out" title="Sign out" onClick=${signOut}><${Icon} name="door" /></button></div>`;
}

/** A screen that fails says so, and leaves the rest of the page as it is. */
class Guard extends Component {
  state = { error: /** @type {Error | null} */ (null) };

  componentDidCatch(error) {
    console.error(error);
    this.setState({ error });
  }

  render() {
    const { error } = this.state;
    if (!error) return /** @type {any} */ (this.props).children;
    return html`<${Problem} error=${{ message: "This screen could not be drawn.", advice: `Try again. If it stays so, report this with the version ${start.value?.version ?? ""}: ${error.message}` }} retry=${() => this.setState({ error: null })} />`;
  }
}

/** Signed in, and no role for the console. */
export function Refused({ error }) {
  const isRole = error.code === "42501" || error.status === 403;
  return html`<main class="sign-in"><div class="sign-in-card"><header><${Mark} /><div><h1>${isRole ? "No role for the console" : "The console cannot start"}</h1><p class="faint">${config.name ?? location.host}</p></div></header>
    <${Problem} error=${error} /><div class="row"><button type="button" class="primary" onClick=${begin}>Try again</button><button type="button" onClick=${signOut}>Sign out</button></div></div></main>`;
}

export function Shell() {
  const [menu, setMenu] = useState(false);
  const [help, setHelp] = useState(false);
  const { screen: name, args, query } = route.value;
  const screen = screenNamed(name);
  useEffect(() => {
    setMenu(false);
    document.getElementById("main")?.scrollTo?.(0, 0);
    scrollTo(0, 0);
  }, [name, args.join("/")]);
  useKeys({
    "/": { label: "Search", run: () => { if (!focusSearch()) { go(href("jobs")); setTimeout(focusSearch, 50); } } },
    p: { label: "Pause or resume live updates", run: () => (paused.value = !paused.value) },
    t: { label: "Dark or light", run: toggleTheme },
    "?": { label: "This help", run: () => setHelp(!help) },
    Escape: { label: "Close, or leave a field", run: () => { setHelp(false); setMenu(false); } },
    ...Object.fromEntries(shown().filter(({ key }) => key).map(({ key, label, name: to }) => [`g ${key}`, { label, run: () => go(href(to)) }])),
  });
  return html`<a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>To the content</a>
  <div class=${`shell ${menu ? "menu-open" : ""}`}>
    <aside class="side"><a class="brand" href=${href("overview")}><${Mark} /><span><b>Gristmill</b><span class="faint small cut">${config.name ?? location.host}</span></span></a>
      <${Navigation} onGo=${() => setMenu(false)} /><${Account} /></aside>
    <div class="veil" onClick=${() => setMenu(false)} />
    <div class="page"><header class="top"><button type="button" class="ghost square only-phone" aria-label="Screens" aria-expanded=${menu} onClick=${() => setMenu(!menu)}><${Icon} name="menu" /></button>
      <h1 class="cut isolate">${title.value}</h1><span class="space" />
      <a class="find" aria-label="Search jobs" href=${href("jobs")} onClick=${(event) => { if (focusSearch()) event.preventDefault(); else setTimeout(focusSearch, 50); }}><${Icon} name="search" /><span>Search jobs</span><kbd aria-hidden="true">/</kbd></a>
      <${Pulse} />
      <button type="button" class="ghost square" aria-label=${theme.value === "dark" ? "Light" : "Dark"} title="Dark or light (t)" onClick=${toggleTheme}><${Icon} name=${theme.value === "dark" ? "sun" : "moon"} /></button>
      <button type="button" class="ghost square hide-phone" aria-label="Keyboard" title="Keyboard (?)" onClick=${() => setHelp(true)}><${Icon} name="help" /></button></header>
      <main id="main" tabindex="-1">${pulse.value.maintenance && html`<p class="banner">The deployment is in maintenance: users' writes are stopped.</p>`}
        ${screen ? html`<${Guard} key=${`${name}/${args.join("/")}`}><${screen.view} args=${args} query=${query} /><//>`
          : html`<${Empty} icon="search" title=${`There is no screen ${name}`}><p>Its application may not be installed here. <a href=${href("overview")}>To the overview</a></p><//>`}</main></div>
  </div><${Layer} />${help && html`<${Help} onClose=${() => setHelp(false)} />`}`;
}
