// A proxy between a library and the gateway, over real HTTP. It records every call on a tape, and does to the calls what the faults of the tape say.
import http from "node:http";

const agent = new http.Agent({ keepAlive: true, maxSockets: 200 });

const CLAIMS = ["claim_jobs", "settle_and_claim"];
const ENQUEUES = ["enqueue_jobs", "submit_job", "enqueue_many"];

/** Whether a call is one of these. `@claim`, `@settle` and `@enqueue` are whichever call does that; settle_and_claim is a claim where it has no outcomes. */
export function isCall(rpc, call) {
  const settles = call.body?.p_outcomes?.length > 0;
  return [rpc].flat().some((name) => (name === "@claim" ? CLAIMS.includes(call.rpc) && !settles
    : name === "@settle" ? settles : name === "@enqueue" ? ENQUEUES.includes(call.rpc) : name === call.rpc));
}

/** What was called, and what is done to the calls to come. A fault is {rpc, times, where, and one of status, jobs, reset, lose_answer, hold, delay_ms}. */
export class Tape {
  /** `fits(expected, body)` decides whether a fault with `where` is meant; `fill(body)` puts values into the body that a fault answers with. */
  constructor(faults = [], fits = () => true, fill = (body) => body) {
    this.calls = [];
    this.faults = faults.map((fault) => ({ ...fault, left: fault.times ?? 1 }));
    this.fits = fits;
    this.fill = fill;
    this.gates = new Map();
  }

  /** Opens what a fault with this name holds, now and later. */
  letGo(name) {
    this.#gate(name).open();
  }

  letAllGo() {
    for (const { open } of this.gates.values()) open();
  }

  faultOf(call) {
    const fault = this.faults.find(({ rpc, left, where }) => left > 0 && isCall(rpc, call) && (!where || this.fits(where, call.body)));
    if (fault) fault.left -= 1;
    return fault;
  }

  held(name) {
    return this.#gate(name).opened;
  }

  #gate(name) {
    if (!this.gates.has(name)) {
      const gate = {};
      gate.opened = new Promise((resolve) => { gate.open = resolve; });
      this.gates.set(name, gate);
    }
    return this.gates.get(name);
  }
}

/** Listens on a free port in front of `target`. `tapeOf({rpc, text})` names the tape of a call. */
export async function openProxy(target, tapeOf) {
  const { hostname, port } = new URL(target);
  const server = http.createServer(async (request, response) => {
    const begun = performance.now();
    const text = await read(request);
    const rpc = /^\/rest\/v1\/rpc\/(\w+)$/.exec(request.url)?.[1] ?? request.url;
    const call = { rpc, method: request.method, headers: request.headers, text, body: json(text), begun, status: null, answer: null, fault: null };
    const tape = tapeOf(call);
    tape.calls.push(call);
    const fault = tape.faultOf(call);
    call.fault = fault ?? null;
    const finish = (status, headers, body) => {
      Object.assign(call, { status, answer: json(body.toString()), ended: performance.now() });
      if (!response.destroyed) response.writeHead(status, headers).end(body);
    };

    if (fault?.hold) await tape.held(fault.hold);
    if (fault?.delay_ms) await new Promise((resolve) => setTimeout(resolve, fault.delay_ms));
    if (fault?.reset) return request.socket.resetAndDestroy();
    if (fault?.jobs) {
      const jobs = tape.fill(fault.jobs);
      return finish(200, { "content-type": "application/json", date: new Date().toUTCString() }, JSON.stringify(rpc === "claim_jobs" ? jobs : { settled: [], jobs }));
    }
    if (fault?.status) {
      const body = JSON.stringify(tape.fill(fault.body) ?? { code: null, message: "a fault of the test", details: null, hint: null });
      return finish(fault.status, { "content-type": "application/json", date: new Date().toUTCString(), ...fault.headers }, body);
    }
    const forwarded = http.request({ hostname, port, path: request.url, method: request.method, headers: { ...request.headers, host: `${hostname}:${port}` }, agent },
      async (answer) => {
        const body = await read(answer);
        const { "transfer-encoding": _, ...headers } = answer.headers;
        if (!fault?.lose_answer) return finish(answer.statusCode, { ...headers, "content-length": Buffer.byteLength(body) }, body);
        Object.assign(call, { status: answer.statusCode, answer: json(body), ended: performance.now() });
        request.socket.resetAndDestroy();
      });
    forwarded.on("error", (error) => (response.headersSent ? response.destroy() : finish(502, {}, `{"message": ${JSON.stringify(error.message)}}`)));
    forwarded.end(text);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((resolve) => { server.close(resolve); server.closeAllConnections(); }),
  };
}

async function read(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text || null;
  }
}
