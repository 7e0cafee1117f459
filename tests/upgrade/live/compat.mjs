// Jobs that were enqueued, claimed and ended by the compatible names.
export async function fill({ service }) {
  const enqueue = (name) => service("select public.enqueue_job_v3('echo', $1, '{\"by\": \"a compatible call\"}', priority => 99)", name);
  const claim = (worker) => service("select c.job_id from public.claim_next_job_v3($1, array['echo']) c", worker);
  await enqueue("completed");
  await service("select public.complete_job($1, 'compat-1', '{\"done\": true}')", await claim("compat-1"));
  await enqueue("held");
  await claim("compat-2");
  await enqueue("pending");
}
