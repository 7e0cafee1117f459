// what the console asks of Postgres: the pulse beside its limits, searches, the engine with an open console beside without one; and how soon its page is of use
// needs: postgres
import { Stack } from "../../../sdk/local/stack/stack.mjs";
import { load } from "./console/load.mjs";
import { page } from "./console/page.mjs";
import { rpcs, throughput } from "./console/rpcs.mjs";
import { withClient } from "./engine/databases.mjs";

export const parts = ["rpcs", "throughput", "page"];
export const servers = ["embedded", "debian"];

export default async function* measure({ progress, full, only, postgres }) {
  const size = full ? { pending: 1_000_000, finished: 10_000_000 } : { pending: 100_000, finished: 1_000_000 };
  const stack = new Stack(`bench-console-${process.pid}`, {
    parts: ["gateway"], postgres: postgres ?? "embedded", settings: { max_wal_size: "4GB" }, onStep: (part) => progress(`starting ${part}`),
  });
  try {
    await stack.start();
    await withClient(stack.databaseUrl, (client) => load(client, { ...size, progress }));
    if (only === null || only === "rpcs") yield* rpcs(stack.databaseUrl, { progress });
    if (only === null || only === "page") yield* page(stack, { progress });
    if (only === null || only === "throughput") yield* throughput(stack.databaseUrl, { rounds: full ? 15 : 7, seconds: full ? 8 : 4, progress });
    yield { note: `${size.pending.toLocaleString("en")} pending and ${size.finished.toLocaleString("en")} finished jobs; ratios of the throughput are medians of the rounds' own` };
  } finally {
    progress("stopping");
    await stack.destroy();
  }
}
