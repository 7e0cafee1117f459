// Server-sent events over fetch. An EventSource can send no token and does not tell why it failed; a ticket would be a request more per minute.
import { GristmillError } from "../errors.js";
import type { Http } from "./http.js";

export interface ServerEvent {
  id: string;
  event: string;
  data: unknown;
}

/** The server sends a comment each 1.5 s. A connection that is silent for so long is dead, or a proxy holds its bytes back. */
const SILENCE = 10_000;

/** One connection. Its events, in order, until the server ends it. Gives whether nothing will come any more (204). */
export async function* connect(http: Http, path: string, lastEventId: string | undefined, signal: AbortSignal): AsyncGenerator<ServerEvent, boolean, void> {
  const connection = new AbortController();
  const leave = () => connection.abort(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listen = () => {
    clearTimeout(timer);
    timer = setTimeout(() => connection.abort(new GristmillError("silent", "The stream is silent", { retryable: true })), SILENCE);
  };
  try {
    listen();
    const headers: Record<string, string> = { ...(await http.credentials()), accept: "text/event-stream" };
    if (lastEventId !== undefined) headers["last-event-id"] = lastEventId;
    const { fetch } = http;
    const answer = await fetch(`${http.functions}/${path}`, { headers, signal: connection.signal, cache: "no-store" });
    if (answer.status === 204) return true;
    if (!answer.ok || !answer.body || !answer.headers.get("content-type")?.startsWith("text/event-stream")) {
      throw new GristmillError("no_stream", `The stream answered ${answer.status}`, { status: answer.status, retryable: true });
    }
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    const parser = new Parser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return false;
      listen();
      yield* parser.take(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    throw connection.signal.aborted ? connection.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", leave);
    connection.abort(); // whoever stops reading also hangs up
  }
}

/** Takes a stream apart. A line may come in pieces, and may end in any of the three ways. */
export class Parser {
  #rest = "";
  #id = "";
  #event = "";
  #data: string[] = [];

  *take(text: string): Generator<ServerEvent> {
    this.#rest += text;
    for (;;) {
      const end = this.#rest.search(/\r|\n/);
      // A carriage return at the very end may be the first half of a line's end.
      if (end === -1 || (this.#rest[end] === "\r" && end === this.#rest.length - 1)) return;
      const line = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + (this.#rest.startsWith("\r\n", end) ? 2 : 1));
      const event = this.#line(line);
      if (event) yield event;
    }
  }

  #line(line: string): ServerEvent | undefined {
    if (line === "") {
      const [data, event] = [this.#data, this.#event || "message"];
      this.#data = [];
      this.#event = "";
      return data.length === 0 ? undefined : { id: this.#id, event, data: JSON.parse(data.join("\n")) };
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id") this.#id = value;
    else if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
    return undefined;
  }
}
