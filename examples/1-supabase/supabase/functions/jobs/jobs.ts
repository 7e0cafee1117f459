// The jobs of this project: what the function runs, and what programs enqueue.
import { defineJob } from "gristmill";
import { z } from "zod";

export const welcome = defineJob("welcome", {
  queue: "letters",
  schema: z.object({ to: z.email(), name: z.string().min(1) }),
  maxAttempts: 8,
  unique: { by: ["to"], within: "1d" },
});

export const remind = defineJob("remind", { queue: "letters", schema: z.object({ to: z.email(), days: z.int().min(0) }) });
