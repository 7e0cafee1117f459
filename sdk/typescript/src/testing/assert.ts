// What requireEnqueued() and refuteEnqueued() compare, and what they say.
import type { TestJob } from "./index.js";

/** A part of a payload: what is left out is not compared. Arrays are compared as a whole. */
export type Part<T> = T extends readonly unknown[] ? T : T extends object ? { [Key in keyof T]?: Part<T[Key]> } : T;

export class AssertionError extends Error {
  override name = "AssertionError";
}

/** Whether `value` has all that `part` has, as JSON. */
export function contains(value: unknown, part: unknown): boolean {
  if (Array.isArray(part)) return Array.isArray(value) && value.length === part.length && part.every((one, place) => contains(value[place], one));
  if (part === null || typeof part !== "object") return value === part;
  return value !== null && typeof value === "object" && !Array.isArray(value) &&
    Object.entries(part).every(([name, one]) => (one === undefined ? !(name in value) : contains((value as Record<string, unknown>)[name], one)));
}

/** As it is after JSON: dates as text, and no undefined in it. */
export const asJson = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

export function list(jobs: readonly TestJob[]): string {
  if (jobs.length === 0) return "no job is enqueued";
  const lines = jobs.slice(0, 20).map(({ kind, payload, state, runAt }) => `  ${kind} ${JSON.stringify(payload)} (${state}, ${runAt})`);
  return [`these jobs are enqueued:`, ...lines, ...(jobs.length > 20 ? [`  and ${jobs.length - 20} more`] : [])].join("\n");
}
