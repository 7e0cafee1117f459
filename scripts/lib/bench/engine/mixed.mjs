// A day's work in small: batches of several sizes, priorities, jobs for later, and every outcome.
import { ATTEMPT, ID } from "./gristmill.mjs";
import { keepHouse, overConnections } from "./load.mjs";

const LOADS = [{ batch: 5 }, { batch: 50 }, { batch: 50 }, { batch: 200 }]; // as many as there are connections

/** Returns when `seconds` are over; `onWindow` gets the jobs completed in each second. */
export async function mixedLoad(queue, { seconds, onWindow }) {
  const until = Date.now() + seconds * 1000;
  let done = 0;
  let reported = 0;
  const windows = setInterval(() => {
    onWindow(done - reported);
    reported = done;
  }, 1000);
  const stopHousekeeping = keepHouse(queue);
  try {
    await overConnections(async (n) => {
      const { batch } = LOADS[n];
      const worker = `mixed-${n}`;
      for (let turn = 0; Date.now() < until; turn++) {
        await queue.enqueue(payloads(batch), enqueueOptions(turn));
        const claimed = await queue.claim(Math.ceil(batch * 1.25), worker); // a tenth comes back: else a backlog would grow
        if (claimed.length > 0) await queue.settle(claimed.map(outcomeOf), worker);
        done += claimed.length;
      }
    });
  } finally {
    clearInterval(windows);
    stopHousekeeping();
  }
}

const payloads = (count) => Array.from({ length: count }, (_, n) => ({ n, text: "x".repeat(n % 100) }));

// One batch in eight is due in three seconds, one in eight is urgent.
function enqueueOptions(turn) {
  if (turn % 8 === 3) return { run_at: new Date(Date.now() + 3_000).toISOString() };
  return turn % 8 === 5 ? { priority: 9 } : {};
}

// In a hundred: four fail and are retried, two are snoozed, two released, one is dead, the rest complete.
function outcomeOf({ [ID]: id, [ATTEMPT]: attempt }, at) {
  const error = { type: "bench", message: "as planned" };
  switch ((at * 37 + attempt) % 100) {
    case 0: case 1: case 2: case 3: return { id, attempt, outcome: "failed", error, delay_seconds: 2 };
    case 10: case 11: return { id, attempt, outcome: "snoozed", delay_seconds: 1 };
    case 20: case 21: return { id, attempt, outcome: "released" };
    case 30: return { id, attempt, outcome: "dead", error };
    default: return { id, attempt, outcome: "completed", result: { ok: true } };
  }
}
