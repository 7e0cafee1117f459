// What stands in front of several instances of a part in a deployment: sends each request to the instance that is named last, and knows when another has none left.
import http from "node:http";

export class Balancer {
  #underWay = new Map();

  constructor() {
    this.server = http.createServer((request, response) => this.#forward(request, response));
  }

  listen(port) {
    return new Promise((ready) => this.server.listen(port, "127.0.0.1", ready));
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** From now on requests go to this port. Resolves when the one before has none left. */
  async send(port) {
    const before = this.port;
    this.port = port;
    while (before && this.#underWay.get(before) > 0) await new Promise((later) => setTimeout(later, 10));
  }

  #forward(request, response) {
    const { port } = this;
    const count = (n) => this.#underWay.set(port, (this.#underWay.get(port) ?? 0) + n);
    count(1);
    response.once("close", () => count(-1));
    const { host, connection, ...headers } = request.headers;
    // A connection per request: one that is kept may be closed by the other side in the moment of its use.
    const upstream = http.request({ host: "127.0.0.1", port, method: request.method, path: request.url, headers: { ...headers, host, connection: "close" }, agent: false }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    upstream.on("error", (error) => {
      if (!response.headersSent) response.writeHead(502);
      response.end(`the instance at ${port} failed: ${error.message}`);
    });
    request.pipe(upstream);
  }
}
