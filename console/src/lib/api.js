// Calls of the deployment's RPCs. Every failure becomes a sentence that says what to do.
import { config } from "./config.js";
import { authorization, renew } from "./session.js";

/** A call that did not succeed. message says what happened, advice what to do. */
export class Refusal extends Error {
  constructor(message, { advice = "", code = "", status = 0, details = "" } = {}) {
    super(message);
    Object.assign(this, { advice, code, status, details });
  }
  advice = "";
  code = "";
  status = 0;
  details = "";
}

// In which schema a function lies, if not in public: an application may have one of its own.
let profiles = /** @type {Record<string, string>} */ ({});

/** Learns the schemas of functions, as console_start answers them. */
export function learnProfiles(known) {
  profiles = known ?? {};
}

/**
 * Calls one function of the database.
 * @param {string} name
 * @param {object} [args]
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 */
export async function rpc(name, args = {}, { signal } = {}) {
  const headers = { "content-type": "application/json", ...(profiles[name] && { "content-profile": profiles[name] }) };
  return read(await call(`/rest/v1/rpc/${name}`, { method: "POST", headers, body: JSON.stringify(args), signal }), name);
}

/** Sends a request with the token of the signed-in operator; for files and functions of applications. A 401 is tried again once, with a new token. */
export async function call(path, init = {}) {
  const send = async () => fetch(config.api + path, { credentials: "omit", ...init, headers: { ...init.headers, ...(await authorization()) } });
  try {
    const answer = await send();
    return answer.status === 401 && (await renew()) ? await send() : answer;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("The deployment does not answer.", { advice: "Look whether it runs and whether you are online. The console tries again by itself.", code: "offline" });
  }
}

/** The body of an answer as JSON, or a Refusal. */
export async function read(answer, name) {
  const text = await answer.text();
  if (answer.ok) return text ? JSON.parse(text) : null;
  let said = {};
  try {
    said = JSON.parse(text);
  } catch {
    // Not every proxy in between answers in JSON.
  }
  const { status } = answer;
  // Functions answer problems as RFC 9457 has them: what happened is their detail.
  const { code = "", detail, message = detail ?? `The answer was ${status}.`, hint, details } = said;
  throw new Refusal(message, { code, status, details: details ?? "", advice: hint ?? adviceFor(status, code, name) });
}

function adviceFor(status, code, name) {
  if (code === "PGRST202" || (status === 404 && name.startsWith("console_"))) {
    return `This deployment has no function ${name}: it is older than this console. Run \`gristmill migrate\`.`;
  }
  if (status === 401) return "Sign in again.";
  if (status === 413) return "Send less at once.";
  if (code === "57014") return "The database took too long. Ask for less: a shorter time, one queue, one kind.";
  if (status >= 500) return "Try again. If it stays so, look at the log of the deployment.";
  return "";
}
