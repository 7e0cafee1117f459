import type { JobState, Mill } from "./mill.js";

export async function wait<Result>(mill: Mill, id: string, { signal, interval = 100 }: { signal?: AbortSignal; interval?: number } = {}): Promise<JobState<Result>> {
  for (;;) {
    signal?.throwIfAborted();
    const job = await mill.get<Result>(id);
    if (!job) throw new TypeError(`no job ${id}`);
    if (job.finishedAt) return job;
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
}
