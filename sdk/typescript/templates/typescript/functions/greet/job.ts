// The job: its kind, its queue and its payload. `gristmill dev`, `test` and `deploy` register it in Postgres.
import { defineJob } from "gristmill";

export const greet = defineJob("greet", {
  queue: "greetings",
  description: "Greets a person by name",
  openToUsers: true, // signed-in users may enqueue it, for themselves
  // Postgres refuses a payload that does not fit. With zod, valibot or arktype write `schema: z.object({ … })` instead: it gives the type as well.
  jsonSchema: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
}).payload<{ name: string }>();
