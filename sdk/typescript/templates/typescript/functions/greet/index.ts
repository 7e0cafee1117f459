import { dead, gristmill, handle } from "gristmill";

import { greet } from "./job.ts";

// What this returns is the job's result. An error that is thrown means another attempt, later; dead() means none.
// A job may run twice, so a handler must not mind: write with upsert, or under the job's id.
export default {
  fetch: gristmill().serve([
    handle(greet, async ({ payload, log }) => {
      if (!payload.name) return dead("a greeting needs a name");
      log("greeting", { name: payload.name });
      return { greeting: `Hello, ${payload.name}!` };
    }),
  ]),
};
