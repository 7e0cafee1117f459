// A proxy for TCP that does to connections what networks do: it stands between the gateway and Postgres, and between functions or worker and the gateway.
import net from "node:net";

/** Listens on a free port and passes everything on to `port`, until a fault is set. */
export class Proxy {
  #links = new Set();
  #fault = null;

  static async open(port) {
    const proxy = new Proxy();
    proxy.server = net.createServer((near) => proxy.#accept(near, port));
    await new Promise((resolve) => proxy.server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** The same address with the port of the proxy. */
  in(url) {
    const own = new URL(url);
    [own.hostname, own.port] = ["127.0.0.1", this.server.address().port];
    return own.href.replace(/\/$/, "");
  }

  /**
   * What happens from now on, until `heal`:
   *   lost answers   requests arrive, and the connection is cut when the answer comes: a commit is not heard of
   *   reset          every connection is reset, also new ones
   *   silence        packets are held back, and arrive when it is over
   *   half-open      the connections of now never pass a byte again, also afterwards; new ones work
   *   delay          every packet takes `seconds` longer
   */
  break(fault, seconds = 30) {
    this.#fault = fault;
    this.seconds = seconds;
    for (const link of this.#links) {
      if (fault === "reset") link.cut();
      if (fault === "half-open") link.isDead = true;
      if (fault === "silence") link.pause();
    }
  }

  heal() {
    this.#fault = null;
    for (const link of this.#links) if (!link.isDead) link.resume();
  }

  close() {
    for (const link of this.#links) link.cut();
    this.server.close();
  }

  #accept(near, port) {
    if (this.#fault === "reset") return near.on("error", () => {}).resetAndDestroy();
    const far = net.connect(port, "127.0.0.1");
    const link = {
      isDead: false,
      cut: () => { near.resetAndDestroy(); far.destroy(); },
      pause: () => { near.pause(); far.pause(); },
      resume: () => { near.resume(); far.resume(); },
    };
    this.#links.add(link);
    const pass = (to) => (data) => {
      if (link.isDead) return;
      if (to === near && this.#fault === "lost answers") return link.cut();
      if (this.#fault === "delay") return setTimeout(() => to.writable && to.write(data), this.seconds * 1000).unref();
      to.write(data);
    };
    near.on("data", pass(far));
    far.on("data", pass(near));
    if (this.#fault === "silence") link.pause();
    for (const end of [near, far]) {
      end.on("error", () => {});
      end.on("close", () => { near.destroy(); far.destroy(); this.#links.delete(link); });
    }
  }
}
