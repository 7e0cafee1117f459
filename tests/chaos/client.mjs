// One request the whole way, as a careful client makes it: it repeats what was not answered, under the same key, and writes into
// the ledger what it asked for, what was acknowledged and what came back.
import { setTimeout as sleep } from "node:timers/promises";

import { NotAccepted, applications } from "../../scripts/lib/bench/applications.mjs";
import { token } from "../../sdk/local/stack/keys.mjs";

/** A client of a site {url, anonKey, jwtSecret} that writes to a ledger. It looks after what is under way every `poll` milliseconds, and ever later. */
export function openClient(site, ledger, { poll }) {
  const apps = applications(site, { patience: 5_000 });
  const signIn = async (id) => ({
    id, headers: { authorization: `Bearer ${await token(site.jwtSecret, { role: "authenticated", sub: id })}` },
  });

  /** Repeats one request until it is answered or nobody waits any more. */
  async function insist(request, signal) {
    for (let pause = 100; !signal.aborted; pause = Math.min(pause * 1.5, 1_000)) {
      try {
        return await request();
      } catch (error) {
        if (!(error instanceof NotAccepted) || !error.mayRetry) throw error;
      }
      await sleep(pause);
    }
    return null;
  }

  return {
    /** Asks until it is acknowledged, then looks until it has come back. Gives the state, or null when the signal came first. */
    async wholeWay(app, key, userId, signal, options) {
      const user = await signIn(userId);
      await ledger.write({ what: "asked", app, key, user: userId });
      let id;
      try {
        id = await insist(() => apps[app].ask(user, key, options), signal);
      } catch (error) {
        await ledger.write({ what: "refused", app, key, error: error.message });
        throw error;
      }
      if (id === null) return null;
      await ledger.write({ what: "acknowledged", app, key, id });
      // What takes long is looked at ever more rarely: hundreds that wait for a lease must not become a load of their own.
      for (let pause = poll; !signal.aborted; pause = Math.min(pause * 1.3, 10_000)) {
        const found = await insist(() => apps[app].look(user, id), signal);
        if (found) {
          await ledger.write({ what: "back", app, key, id, ...found });
          if (app === "refresh") await insist(() => apps.refresh.leave(user, id), signal);
          return found.state;
        }
        await sleep(pause);
      }
      return null;
    },
    /** Looks once more at what has come back before. */
    async lookAgain({ app, id, user }, signal) {
      const signedIn = await signIn(user);
      return insist(() => apps[app].look(signedIn, id), signal);
    },
  };
}
