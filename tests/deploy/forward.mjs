// Serves a socket file on a port: node forward.mjs PORT FILE. A socket file is reached from every network namespace, a port is not.
import net from "node:net";

const [port, file] = process.argv.slice(2);
const server = net.createServer((client) => {
  const upstream = net.connect(file);
  for (const [from, to] of [[client, upstream], [upstream, client]]) {
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
  }
});
server.listen(Number(port), "127.0.0.1", () => console.log("ready"));
