// The page of those who are not signed in: the ways that this host offers, in its order.
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { config } from "./lib/config.js";
import { Mark } from "./lib/icons.js";
import { signInByPassword, signInByToken } from "./lib/session.js";

function ByLink() {
  return html`<div class="way"><h2>With a link from the terminal</h2>
    <p class="soft">Run this where the deployment is configured, and open the link that it prints. The link works until the command ends.</p><pre class="command" tabindex="0">gristmill console</pre></div>`;
}

function ByPassword() {
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    setBusy(true);
    setError(await signInByPassword(form.get("email"), form.get("password")));
    setBusy(false);
  };
  return html`<form class="way" onSubmit=${submit}><h2>With your account</h2>
    <label class="field"><span>Email</span><input name="email" type="email" required autocomplete="username" /></label>
    <label class="field"><span>Password</span><input name="password" type="password" required autocomplete="current-password" /></label>
    ${error && html`<p class="bad breaks" role="alert">${error}</p>`}
    <button class="primary" disabled=${busy}>${busy ? "One moment …" : "Sign in"}</button></form>`;
}

function ByToken() {
  const submit = (event) => {
    event.preventDefault();
    signInByToken(String(new FormData(event.target).get("token")));
  };
  return html`<form class="way" onSubmit=${submit}><h2>With a token</h2>
    <label class="field"><span>Paste a token</span><input name="token" type="password" required autocomplete="off" spellcheck="false" /></label>
    <p class="soft small">Its claims: <code>role</code> authenticated, <code>sub</code>, and <code>gristmill_role</code> viewer, operator or admin.</p>
    <button>Sign in</button></form>`;
}

const WAYS = { link: ByLink, password: ByPassword, token: ByToken };

export function SignIn({ reason = "" }) {
  return html`<main class="sign-in"><div class="sign-in-card">
    <header><${Mark} /><div><h1>Gristmill</h1><p class="faint">${config.name ?? location.host}</p></div></header>
    ${reason && html`<p class="reason breaks" role="alert">${reason}</p>`}
    ${config.signIn.filter((way) => WAYS[way]).map((way) => html`<${WAYS[way]} key=${way} />`)}</div></main>`;
}
