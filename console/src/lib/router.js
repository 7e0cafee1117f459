// The address is the state: #/screen/argument?key=value. So every view can be linked, and the back button works.
import { signal } from "@preact/signals";

/** @typedef {{screen: string, args: string[], query: Record<string, string>}} Route */

/** @returns {Route} */
function parse() {
  const [path, search = ""] = location.hash.slice(1).split(/\?(.*)/s);
  const [screen = "", ...args] = path.split("/").filter(Boolean).map(decode);
  return { screen: screen || "overview", args, query: Object.fromEntries(new URLSearchParams(search)) };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const route = signal(parse());
addEventListener("hashchange", () => (route.value = parse()));

/**
 * The address of a view. Empty values are left out of it.
 * @param {string} screen
 * @param {(string | number)[]} [args]
 * @param {Record<string, any>} [query]
 */
export function href(screen, args = [], query = {}) {
  const kept = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false);
  const search = new URLSearchParams(kept.map(([key, value]) => [key, value === true ? "1" : String(value)])).toString();
  return `#/${[screen, ...args].map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`;
}

export function go(address, { replace = false } = {}) {
  if (!replace) {
    location.hash = address;
    return;
  }
  history.replaceState(null, "", address);
  route.value = parse();
}

/** Changes some values of the query, and stays on the screen. */
export function setQuery(change, { replace = true } = {}) {
  const { screen, args, query } = route.value;
  go(href(screen, args, { ...query, ...change }), { replace });
}
