// Stands in for a collector of OpenTelemetry: takes spans over OTLP/HTTP as JSON, refuses what is not shaped as opentelemetry-proto has it, and keeps the rest.
//   const collector = await new Collector().start();  OTEL_EXPORTER_OTLP_ENDPOINT=collector.url
// `answer` is what it answers: 200, a status that refuses, or "silent".
import { once } from "node:events";
import http from "node:http";

export class Collector {
  spans = [];
  wrong = [];
  requests = 0;
  answer = 200;

  async start(port = 0) {
    this.server = http.createServer((request, response) => this.#take(request, response));
    this.server.listen(port, "127.0.0.1");
    await once(this.server, "listening");
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #take(request, response) {
    let body = "";
    for await (const chunk of request) body += chunk;
    this.requests++;
    if (this.answer === "silent") return;
    if (this.answer !== 200) return response.writeHead(this.answer).end();
    const wrong = [];
    if (request.method !== "POST" || request.url !== "/v1/traces") wrong.push(`${request.method} ${request.url}`);
    if (request.headers["content-type"] !== "application/json") wrong.push(`content-type ${request.headers["content-type"]}`);
    try {
      this.#read(JSON.parse(body), wrong);
    } catch (error) {
      wrong.push(String(error));
    }
    this.wrong.push(...wrong);
    if (wrong.length > 0) return response.writeHead(400).end();
    response.writeHead(200, { "content-type": "application/json" }).end('{"partialSuccess":{}}');
  }

  #read({ resourceSpans, ...rest }, wrong) {
    exactly("request", rest, {}, wrong);
    for (const { resource, scopeSpans, ...more } of resourceSpans) {
      exactly("resourceSpans", more, {}, wrong);
      const attributes = attributesOf(resource.attributes, wrong);
      if (!attributes["service.name"]) wrong.push("a resource without service.name");
      for (const { scope, spans } of scopeSpans) {
        if (typeof scope.name !== "string") wrong.push("a scope without a name");
        for (const span of spans) this.spans.push(spanOf(span, attributes["service.name"], wrong));
      }
    }
  }
}

const HEX = (length) => new RegExp(`^(?!0+$)[0-9a-f]{${length}}$`);
const NANOSECONDS = /^[1-9][0-9]{18}$/; // a string: JSON's numbers have 53 bits
const SPAN = { traceId: HEX(32), spanId: HEX(16), parentSpanId: HEX(16), name: /^.+$/, startTimeUnixNano: NANOSECONDS, endTimeUnixNano: NANOSECONDS };

function spanOf(span, service, wrong) {
  const { attributes, links = [], status, kind, ...texts } = span;
  for (const name of ["traceId", "spanId", "name", "startTimeUnixNano", "endTimeUnixNano"]) if (!(name in texts)) wrong.push(`a span without ${name}`);
  exactly("span", texts, SPAN, wrong);
  if (![1, 2, 3, 4, 5].includes(kind)) wrong.push(`kind ${kind}`);
  if (BigInt(span.endTimeUnixNano) < BigInt(span.startTimeUnixNano)) wrong.push("a span that ends before it begins");
  for (const link of links) exactly("link", link, { traceId: HEX(32), spanId: HEX(16) }, wrong);
  if (status && ![0, 1, 2].includes(status.code)) wrong.push(`status ${JSON.stringify(status)}`);
  return { ...span, links, service, attributes: attributesOf(attributes, wrong) };
}

function exactly(what, given, known, wrong) {
  for (const [name, value] of Object.entries(given)) {
    if (!known[name]) wrong.push(`${what} has ${name}`);
    else if (typeof value !== "string" || !known[name].test(value)) wrong.push(`${name} of ${what} is ${JSON.stringify(value)}`);
  }
}

function attributesOf(list, wrong) {
  return Object.fromEntries(list.map(({ key, value }) => {
    const [[type, inner], ...more] = Object.entries(value);
    if (more.length > 0) wrong.push(`attribute ${key} has several values`);
    if (type === "stringValue" && typeof inner === "string") return [key, inner];
    if (type === "intValue" && /^-?\d+$/.test(inner)) return [key, Number(inner)];
    if (type === "boolValue" && typeof inner === "boolean") return [key, inner];
    wrong.push(`attribute ${key} is ${JSON.stringify(value)}`);
    return [key, null];
  }));
}
