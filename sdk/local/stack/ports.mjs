// Free ports are found, not assumed. They lie below those that the system gives to outgoing connections, and each is noted
// for as long as the process lives that found it: stacks that start side by side never choose the same one.
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";

const [FIRST, LAST] = [20_000, 32_000];
const notes = path.join(os.tmpdir(), `gristmill-ports-${user()}`);
const mine = new Set();
process.on("exit", () => mine.forEach((note) => fs.rmSync(note, { force: true })));

function user() {
  try {
    return os.userInfo().username;
  } catch {
    return process.getuid(); // in a container a user may have no name
  }
}

/** Returns `count` distinct ports that nobody listens on and nobody else has been given. */
export async function freePorts(count) {
  fs.mkdirSync(notes, { recursive: true });
  const ports = [];
  for (let tries = 0; ports.length < count; tries++) {
    if (tries > 10_000) throw new Error(`no free port between ${FIRST} and ${LAST}; notes of those in use are in ${notes}`);
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (take(port) && (await canListen(port))) ports.push(port);
  }
  return ports;
}

// A note of a process that has died counts for nothing.
function take(port) {
  const note = path.join(notes, String(port));
  try {
    fs.writeFileSync(note, String(process.pid), { flag: "wx" });
    mine.add(note);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (!isAlive(Number(read(note)))) fs.rmSync(note, { force: true });
    return false; // found again another time
  }
}

function read(note) {
  try {
    return fs.readFileSync(note, "utf8");
  } catch {
    return "";
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return pid > 0;
  } catch (error) {
    return error.code === "EPERM";
  }
}

const canListen = (port) => new Promise((resolve) => {
  const server = net.createServer();
  server.once("error", () => resolve(false));
  server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
});

/** True when something answers on the port. */
export function isListening(port) {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => resolve(true) ?? socket.destroy());
    socket.once("error", () => resolve(false));
  });
}
