// What the page is told about its deployment: the file config.json beside it.

/**
 * @typedef {object} Config
 * @property {string} api  where the RPCs are; "" is the origin of the page
 * @property {string | null} apiKey  the public key of Supabase
 * @property {("link" | "password" | "token")[]} signIn
 * @property {string | null} name
 * @property {string} version
 */

/** @type {Config} */
export const config = { api: "", apiKey: null, signIn: ["token"], name: null, version: "" };

/** Reads config.json. A host without one serves the API itself, and takes tokens. */
export async function loadConfig() {
  const answer = await fetch("config.json", { cache: "no-cache" });
  if (answer.ok) Object.assign(config, await answer.json());
  config.api = (config.api ?? "").replace(/\/+$/, "");
}
