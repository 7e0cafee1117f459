// Calls over node:http, for the long-lived worker. With Node 20 a small call by fetch takes 0.65 to 2 ms of CPU, the latter where calls are
// rare; by node:http it takes 0.4 to 0.6 ms. A worker that runs one job at a time makes one call per job.

interface Incoming {
  statusCode: number;
  headers: Record<string, string | undefined>;
  on(event: string, run: (value: any) => void): void;
}
interface Outgoing {
  on(event: string, run: (error: Error) => void): void;
  end(body: string): void;
  destroy(error: unknown): void;
}
interface Http {
  request(url: string, options: object, run: (answer: Incoming) => void): Outgoing;
}
type Scope = { process?: { getBuiltinModule?(name: string): Http }; Deno?: unknown; Bun?: unknown; navigator?: { userAgent?: string } };

/** What the client needs of fetch, or undefined where this is not Node: Deno, Bun and Cloudflare have a node:http, but their fetch is the shorter way. */
export function nodeFetch(): typeof fetch | undefined {
  const { process, Deno, Bun, navigator } = globalThis as Scope;
  if (!process?.getBuiltinModule || Deno || Bun || navigator?.userAgent === "Cloudflare-Workers") return undefined; // Node has it from 20.16 on
  const http = process.getBuiltinModule("node:http"), https = process.getBuiltinModule("node:https");
  const send = (url: string, { method, headers, body, signal }: { method: string; headers: object; body: string; signal: AbortSignal }) => new Promise((resolve, reject) => {
    const length = new TextEncoder().encode(body).length;
    const request = (url.startsWith("https:") ? https : http).request(url, { method, headers: { ...headers, "Content-Length": length } }, (answer) => {
      const decoder = new TextDecoder();
      let text = "";
      answer.on("data", (chunk) => (text += decoder.decode(chunk, { stream: true })));
      answer.on("error", end(reject));
      answer.on("end", () => end(resolve)({ status: answer.statusCode, headers: { get: (name: string) => answer.headers[name] ?? null }, text: async () => text + decoder.decode() }));
    });
    const stop = () => request.destroy(signal.reason);
    const end = (settle: (value: any) => void) => (value: unknown) => {
      signal.removeEventListener("abort", stop);
      settle(value);
    };
    request.on("error", end(reject));
    signal.addEventListener("abort", stop);
    request.end(body);
  });
  return send as unknown as typeof fetch;
}
