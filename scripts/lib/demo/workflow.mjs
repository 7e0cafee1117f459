// A workflow of the built-in type, smaller: three documents, each written, set and read aloud.
export const order = 5;
export const title = "A workflow ran its tasks";
export const way = "workflows (wasm) → Postgres starts what is ready → worker: text, typst, espeak-ng and lame → storage";

const documents = [
  { system: "western", about: "person1" },
  { system: "numerology", about: "both" },
  { system: "verdict", about: "both" },
];

export async function show({ stack, user, until }) {
  const jobs = `${stack.url}/functions/v1/workflows/v1/jobs`;
  const body = JSON.stringify({ type: "nuclear_v2", params: { documents } });
  const answer = await fetch(jobs, { method: "POST", headers: user.headers, body });
  if (answer.status !== 202) throw new Error(`jobs answered ${answer.status}: ${await answer.text()}`);
  const { id } = await answer.json();
  const seen = [];
  const job = await until(`job ${id} is completed`, async () => {
    const job = await (await fetch(`${jobs}/${id}`, { headers: user.headers })).json();
    const line = `${String(job.progress.percent).padStart(3)}%  ${job.progress.message}`;
    if (seen.at(-1) !== line) seen.push(line);
    if (job.status === "failed") throw new Error(job.progress.message);
    return job.status === "completed" && job;
  });
  const audio = job.artifacts.find(({ type }) => type === "audio_mp3");
  return {
    id: job.id,
    progress: seen,
    made: `${job.artifacts.length} files of ${job.tasks.length} tasks in ${((Date.parse(job.finished_at) - Date.parse(job.created_at)) / 1000).toFixed(1)} s`,
    listen: `${audio.url} (${audio.title}, ${Math.round(audio.duration)} s)`,
  };
}
