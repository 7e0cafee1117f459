// What a hosted platform does for a function, and workerd alone does not: it runs in a process of its own, and one that gives no answer is ended and started again.
import { setTimeout as sleep } from "node:timers/promises";
import path from "node:path";

import { Part } from "../../sdk/local/stack/part.mjs";
import { root } from "../../sdk/local/stack/paths.mjs";
import { freePorts } from "../../sdk/local/stack/ports.mjs";

// A platform allows a request 10 to 30 s of processor time. Less makes the same of an endless loop, sooner.
const LIMIT_MS = 5_000;

/** Serves a compiled function, in `folder`, to a stack. `ended` says how often it had to be ended. */
export class Platform {
  ended = 0;
  #isOpen = true;

  static async serve(stack, folder) {
    const platform = new Platform();
    const [port] = await freePorts(1);
    platform.url = `http://127.0.0.1:${port}`;
    platform.part = new Part("platform", {
      command: process.execPath, args: [path.join(root, "tests/conformance/workerd.mjs"), folder], logDir: stack.logDir, isReady: () => platform.#answers(),
      env: { PORT: String(port), SUPABASE_URL: stack.url, SUPABASE_ANON_KEY: stack.anonKey, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey,
        INVOKE_SECRET: stack.secrets.invokeSecret },
    });
    await platform.part.start();
    platform.watching = platform.#watch();
    return platform;
  }

  async close() {
    this.#isOpen = false;
    await this.part.kill();
    await this.watching;
  }

  async #watch() {
    for (; this.#isOpen; await sleep(250)) {
      if (await this.#answers()) continue;
      if (!this.#isOpen) return;
      this.ended += 1;
      await this.part.kill();
      if (this.#isOpen) await this.part.start();
    }
  }

  // Any answer will do: the function is asked for nothing.
  async #answers() {
    try {
      const answer = await fetch(this.url, { signal: AbortSignal.timeout(LIMIT_MS) });
      await answer.arrayBuffer();
      return true;
    } catch {
      return false;
    }
  }
}
