// What the tests of gristmill/client share: a stack with every application, a user with a client, and a network that fails when it is told to.
import { client } from "../../sdk/typescript/dist/client/index.js";
import { signIn, startStack } from "../support.mjs";

export const TEXT = "Patient: Ann Example\nDate: 2024-05-01\nMedication: Metformin 500 mg daily\n";

export const startApplications = (name, options) => startStack(`client-${name}`, { parts: ["gateway", "storage", "relay", "provider", "workerd", "work"], ...options });

/** Symbols that may be watched. Their quotes come from the simulated provider. */
export const addSymbols = (stack, ...symbols) =>
  stack.postgres.query("insert into public.supported_symbols (symbol) select unnest($1::text[]) on conflict do nothing", [symbols]);

/**
 * A signed-in user with a client. Every request passes `network`: an array of functions (url, init, send) which may answer in its place.
 * What was sent is in `sent`.
 */
export async function userOf(stack, options = {}) {
  const user = await signIn(stack);
  const network = [], sent = [];
  const through = async (url, init = {}) => {
    sent.push({ url: String(url).slice(stack.url.length), method: init.method ?? "GET", headers: init.headers });
    const send = () => fetch(url, init);
    for (const [at, fault] of network.entries()) {
      const answer = await fault(String(url), init, send, () => network.splice(at, 1));
      if (answer) return answer;
    }
    return send();
  };
  return { ...user, network, sent, mill: client({ url: stack.url, key: stack.anonKey, token: async () => user.token, fetch: through, ...options }) };
}

/** The request is carried out, and its answer is lost, once. */
export const loseAnswer = (what) => async (url, init, send, done) => {
  if (!what(url, init)) return undefined;
  done();
  await (await send()).arrayBuffer();
  throw new TypeError("the connection was reset");
};

/** Every snapshot until the end. */
export async function all(snapshots) {
  const list = [];
  for await (const snapshot of snapshots) list.push(snapshot);
  return list;
}
