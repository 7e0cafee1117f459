// Who is signed in. The only module that knows a token; it keeps the token in memory, and in storage only what a reload needs.
import { signal } from "@preact/signals";

import { config } from "./config.js";
import { go } from "./router.js";

const KEY = "gristmill.key";
const REFRESH = "gristmill.refresh";
const TOKEN = "gristmill.token";
const EARLY = 5 * 60_000; // renewed that long before it expires

/** "starting", "out" with a reason, or "in". */
export const session = signal(/** @type {{state: "starting" | "out" | "in", reason?: string}} */ ({ state: "starting" }));

let token = "";
let expiresAt = Infinity;
let way = "";
/** @type {Promise<boolean> | null} */
let renewing = null;

const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel("gristmill-console") : null;
channel?.addEventListener("message", ({ data }) => {
  const key = sessionStorage.getItem(KEY);
  if (data?.ask && key && session.value.state === "in") channel.postMessage({ key });
  if (data?.out) forget("You have signed out in another tab.");
});

/** Takes the key of a signed-in link out of the address before anything else happens, so that no request and no history entry has it. */
export function takeKey() {
  const given = new URLSearchParams(location.hash.slice(1));
  const key = given.get("key");
  if (!key) return;
  const to = given.get("to") ?? "/";
  go(`#${to.startsWith("/") ? to : "/"}`, { replace: true });
  sessionStorage.setItem(KEY, key);
}

/** Signs in with what this tab or another one has kept. */
export async function resume() {
  if (config.signIn.includes("link")) {
    const key = sessionStorage.getItem(KEY) ?? (await askOtherTabs());
    if (key) return void (await byKey(key));
  }
  if (config.signIn.includes("password") && sessionStorage.getItem(REFRESH)) {
    if (await byRefresh()) return;
  }
  const kept = sessionStorage.getItem(TOKEN);
  if (kept) return signInByToken(kept);
  session.value = { state: "out" };
}

/** @returns {Promise<string | null>} */
function askOtherTabs() {
  if (!channel) return Promise.resolve(null);
  return new Promise((done) => {
    const hear = ({ data }) => typeof data?.key === "string" && finish(data.key);
    const finish = (key) => {
      channel.removeEventListener("message", hear);
      clearTimeout(timer);
      if (key) sessionStorage.setItem(KEY, key);
      done(key);
    };
    const timer = setTimeout(() => finish(null), 300);
    channel.addEventListener("message", hear);
    channel.postMessage({ ask: true });
  });
}

async function post(url, body) {
  const headers = { "content-type": "application/json", ...(config.apiKey && url.startsWith("http") ? { apikey: config.apiKey } : {}) };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), credentials: "omit" });
  return { status: answer.status, body: await answer.json().catch(() => ({})) };
}

function enter(as, newToken, seconds) {
  way = as;
  token = newToken;
  expiresAt = Date.now() + seconds * 1000;
  session.value = { state: "in" };
  return true;
}

async function byKey(key) {
  let answer;
  try {
    answer = await post("session", { key });
  } catch {
    return out("The console's server does not answer. Look whether `gristmill console` still runs, then reload.");
  }
  if (answer.status === 200) return enter("link", answer.body.token, answer.body.expiresIn ?? 3600);
  if (answer.status === 401) {
    sessionStorage.removeItem(KEY);
    return out("This link belongs to an earlier start. Copy the new one from the terminal.");
  }
  return out(answer.body.message ?? `The console's server answered ${answer.status}.`);
}

async function byRefresh() {
  const answer = await post(`${config.api}/auth/v1/token?grant_type=refresh_token`, { refresh_token: sessionStorage.getItem(REFRESH) }).catch(() => null);
  if (answer?.status !== 200) return false;
  sessionStorage.setItem(REFRESH, answer.body.refresh_token);
  return enter("password", answer.body.access_token, answer.body.expires_in ?? 3600);
}

/** Signs in against Supabase Auth; returns the sentence to show when it fails. */
export async function signInByPassword(email, password) {
  let answer;
  try {
    answer = await post(`${config.api}/auth/v1/token?grant_type=password`, { email, password });
  } catch {
    return "The deployment does not answer. Check your network and the address in config.json.";
  }
  if (answer.status !== 200) {
    const { error_description: described, msg, message } = answer.body;
    return `${described ?? msg ?? message ?? `The answer was ${answer.status}`}. Check the email and the password; a new password is set in Supabase's dashboard.`;
  }
  sessionStorage.setItem(REFRESH, answer.body.refresh_token);
  enter("password", answer.body.access_token, answer.body.expires_in ?? 3600);
  return "";
}

/** Takes a token that was pasted. The database judges it, at the first call. */
export function signInByToken(pasted) {
  const text = pasted.trim();
  sessionStorage.setItem(TOKEN, text);
  const expires = expiryOf(text);
  enter("token", text, expires ? Math.max(0, expires - Date.now() / 1000) : 1e9);
}

function expiryOf(jwt) {
  try {
    return JSON.parse(atob(jwt.split(".")[1].replace(/-/g, "+").replace(/_/g, "/"))).exp;
  } catch {
    return null;
  }
}

/** Gets a new token, once for all who ask at the same time. False: signed out. */
export function renew() {
  renewing ??= (async () => {
    const key = sessionStorage.getItem(KEY);
    if (way === "link" && key) return byKey(key);
    if (way === "password" && (await byRefresh())) return true;
    return out("Your session has ended. Sign in again.");
  })().finally(() => (renewing = null));
  return renewing;
}

/** The headers of a call in the name of the signed-in operator. */
export async function authorization() {
  if (way !== "token" && expiresAt - Date.now() < EARLY) await renew();
  return { authorization: `Bearer ${token}`, ...(config.apiKey ? { apikey: config.apiKey } : {}) };
}

function forget(reason) {
  for (const item of [KEY, REFRESH, TOKEN]) sessionStorage.removeItem(item);
  out(reason);
}

function out(reason) {
  token = "";
  session.value = { state: "out", reason };
  return false;
}

export function signOut() {
  channel?.postMessage({ out: true });
  forget("You have signed out.");
}
