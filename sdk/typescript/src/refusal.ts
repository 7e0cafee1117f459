// What an answer that is no success says. Loaded when there is one.
import { GristmillError, InvalidPayload, NOTHING_WAS_DONE, QueueFull, UnknownKind } from "./errors.js";

const CLASSES: Record<string, typeof GristmillError> = { GM001: UnknownKind, GM006: QueueFull, GM011: InvalidPayload };

/** The error for an answer that is no success. */
export function errorOf(name: string, status: number, text: string): GristmillError {
  let body: { code?: string; message?: string; details?: string; hint?: string } = {};
  try {
    body = JSON.parse(text) ?? {};
  } catch {
    // A proxy answered, not the gateway.
  }
  const code = String(body.code ?? status);
  const error = new (CLASSES[code] ?? GristmillError)(code, `${name}: ${body.message ?? text.slice(0, 200)}`, {
    status, details: body.details, hint: body.hint, retryable: /50[234]/.test(String(status)) || NOTHING_WAS_DONE.includes(code) });
  if (error instanceof InvalidPayload) error.field = /field (\/.*)$/.exec(body.details ?? "")?.[1] ?? null;
  return error;
}

/** Milliseconds until the time in Retry-After, which is in seconds or a date. */
export const waitOf = (header: string | null): number => Math.max(0, (Number(header) * 1000 || Date.parse(header ?? "") - Date.now()) || 0);
