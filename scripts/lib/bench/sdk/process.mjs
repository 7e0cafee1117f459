// One process of a contender, told by messages what to do: it is the producer or the worker.
// Arguments: the contender's file, and its target (an address and whatever else it needs) as JSON.
process.env.NO_LOG_SUCCESS = "1"; // graphile-worker writes a line per job without it

const [file, target] = [process.argv[2], JSON.parse(process.argv[3])];
const contender = await import(file);

const BATCH = 500;

// Seconds by the machine's monotonic clock, which all processes share.
const now = () => Number(process.hrtime.bigint()) / 1e9;

const calls = {
  /** Enqueues `single` jobs by a call each, `inFlight` at once, and the rest in batches. Answers the seconds that the single calls took. */
  async produce({ jobs, single, inFlight }) {
    const producer = await contender.produce(target, { inFlight });
    let n = 0;
    const many = (size) => producer.enqueueMany(Array.from({ length: size }, () => ({ n: n++ })));
    for (let left = jobs - single; left > 0; left -= BATCH) await many(Math.min(left, BATCH)); // these open connections as well
    let left = single;
    const begun = now();
    await Promise.all(Array.from({ length: inFlight }, async () => {
      while (left-- > 0) await producer.enqueue({ n: n++ });
    }));
    const seconds = now() - begun;
    await producer.close();
    return { seconds };
  },

  /** Works until `jobs` jobs have run. Answers when the first one began; the worker goes on until "rest". */
  async work({ jobs, ...options }) {
    let done = 0;
    let begun;
    let finish;
    const all = new Promise((resolve) => (finish = resolve));
    const onJob = () => {
      done++;
      if (done === 1) begun = now();
      if (done === jobs) finish();
    };
    calls.stop = await contender.work(target, { ...options, onJob });
    await all;
    return { begun };
  },

  async rest() {
    await calls.stop();
    return {};
  },
};

process.on("message", async ({ id, call, args }) => {
  try {
    process.send({ id, result: await calls[call](args) });
  } catch (error) {
    process.send({ id, error: error.stack });
  }
});
process.on("disconnect", () => process.exit());
process.send({ id: 0, result: "ready" });
