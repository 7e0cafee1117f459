import type { Claimed } from "./attempt.js";
import type { Ending } from "./outcome.js";

/** The ending for a job whose kind has no handler here: another function or worker may have one. */
export function givenBack({ id, kind }: Claimed): Ending {
  const message = `no handler for the kind "${kind}" here`;
  console.error(`${id} is given back: ${message}`);
  return { outcome: "released", delay_seconds: 60, error: { type: "unknown_kind", message, retryable: true } };
}
