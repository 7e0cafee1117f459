// The lifecycle at full speed for minutes, each contender in a database of its own and alone on the server. In its first
// seconds a queue works on clean tables; how it does once its dead rows are in its way is what a busy one lives with.
import { create } from "./databases.mjs";
import { CONNECTIONS, lifecycle } from "./load.mjs";

const BATCH = 500;
const PANEL = `Jobs a second, lifecycle at batch ${BATCH}`;

/** Ours comes first and again at the end, so that a machine which slows down or recovers meanwhile shows. */
export async function* sustained(stack, [ours, ...peers], { seconds, progress, plot }) {
  const measured = [];
  for (const contender of [ours, ...peers, ours]) {
    const { rate, windows } = await run(stack, contender, `sustained_${measured.length}`, { seconds, progress });
    plot.lines.push({ panel: PANEL, name: measured.length > peers.length ? `${contender.name}, again` : contender.name, values: windows });
    measured.push(rate);
  }
  const [first, last] = [measured.shift(), measured.pop()];
  const value = (first + last) / 2;
  const metric = `batch ${BATCH}: lifecycle over ${seconds} s`;
  yield { metric: `${metric}, at the end again`, value: last, unit: "jobs/s", peer: `at the beginning ${round(first)}`, ratio: last / first };
  for (const [at, { name }] of peers.entries()) {
    yield { metric, value, unit: "jobs/s", peer: `${name} ${round(measured[at])}`, ratio: value / measured[at] };
  }
}

async function run(stack, contender, database, { seconds, progress }) {
  const queue = await contender.open(await create(stack, contender, database), CONNECTIONS);
  const windows = [];
  const onWindow = (rate) => {
    windows.push(rate);
    progress(`${contender.name}: ${windows.length} of ${seconds} s`);
  };
  try {
    return { rate: await lifecycle(queue, { batch: BATCH, seconds, windowSeconds: 1, onWindow }), windows };
  } finally {
    await queue.close();
  }
}

const round = (rate) => Number(rate.toPrecision(4));
