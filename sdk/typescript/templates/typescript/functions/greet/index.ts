import { Dead, serve } from "../_shared/jobs.ts";

// What this returns is the job's result. An error that is thrown means another attempt, later; Dead means none.
export default serve<{ name?: string }>(async (job) => {
  if (!job.payload.name) throw new Dead("a greeting needs a name");
  return { greeting: `Hello, ${job.payload.name}!` };
});
