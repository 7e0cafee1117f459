// W3C Trace Context. The id of an attempt's span follows from the job and the attempt, so that a retry can link to the attempt before it.

interface Traced {
  id: string;
  attempt: number;
  traceparent?: string | null;
}

export const spanName = ({ id, attempt }: Traced): string => `${id}:${attempt}`.toLowerCase();

/** The id of an attempt's span: the first 8 bytes of SHA-256, in hex. */
export async function digestStart(job: Traced): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(spanName(job)));
  return Array.from(new Uint8Array(digest, 0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A traceparent for the span of an attempt. */
export function traceparentOf({ id, traceparent }: Traced, span: string): string {
  const [, trace = id.replaceAll("-", "").toLowerCase(), flags = "01"] = /^00-(\w{32})-\w{16}-(\w\w)$/.exec(traceparent ?? "") ?? [];
  return `00-${trace}-${span}-${flags}`;
}
