// The jobs of this Worker.
import { defineJob } from "gristmill";
import * as v from "valibot";

export const invoice = defineJob("invoice", {
  queue: "invoices",
  schema: v.object({ order: v.string(), cents: v.pipe(v.number(), v.integer(), v.minValue(1)) }),
  // valibot makes no JSON Schema by itself: this is what Postgres checks.
  jsonSchema: { type: "object", required: ["order", "cents"], properties: { order: { type: "string" }, cents: { type: "integer", minimum: 1 } } },
  maxAttempts: 5,
});
