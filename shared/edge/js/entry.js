// The entry of every function: a plain module worker, so that the same artefact runs in workerd and,
// through deno.js, under Deno. It needs no "cloudflare:workers" import.
import * as wasm from "./index.js";

// With panic=abort a Rust panic ends the whole instance: every request in flight fails at once instead
// of hanging, and the next one finds a fresh instance.
const state = wasm.__worker_init_state();
const inFlight = new Set();

addEventListener("error", (event) => {
  if (!(event.error instanceof WebAssembly.RuntimeError)) return;
  event.preventDefault?.();
  state.criticalError = true;
  for (const fail of inFlight) fail(event.error);
  inFlight.clear();
});

function call(handler, argument, env, context) {
  if (state.criticalError) {
    wasm.__wbg_reset_state();
    state.criticalError = false;
    state.instanceId++;
  }
  return new Promise((resolve, reject) => {
    inFlight.add(reject);
    Promise.resolve(wasm[handler](argument, env, context))
      .then(resolve, reject)
      .finally(() => inFlight.delete(reject));
  });
}

const handlers = ["fetch", "scheduled"].filter((handler) => handler in wasm);
export default Object.fromEntries(
  handlers.map((handler) => [handler, (argument, env, context) => call(handler, argument, env, context)]),
);
