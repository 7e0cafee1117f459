// The jobs of this app. The server enqueues them and the worker runs them; both import this file.
import { defineJob } from "gristmill";
import { z } from "zod";

export const sendReceipt = defineJob("send_receipt", {
  queue: "mail",
  schema: z.object({ order: z.uuid(), email: z.email(), total: z.int().positive() }),
  maxAttempts: 8,
});
