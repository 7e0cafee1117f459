// The ledger of the chaos tests: what was asked for, what was acknowledged, what came back. It is a process of its own with a
// file of its own, so that nothing that is killed under test can make it forget.
//   node ledger.mjs FOLDER      appends to FOLDER/ledger.jsonl what comes in over FOLDER/socket; ends with its standard input
//
// An entry is {what, app, key, ...}, and what is one of
//   asked         {user}          a request is about to be sent
//   acknowledged  {id}            the answer said that it was accepted: from here on it must not get lost
//   refused       {error}         the answer said that it will never be accepted
//   back          {id, state, proof}   what the user got in the end
import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

const file = (folder) => path.join(folder, "ledger.jsonl");
const socket = (folder) => path.join(folder, "socket");

/** Starts the process and waits until it listens. */
export async function startLedger(folder) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), folder], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((resolve, reject) => {
    child.stdout.once("data", resolve);
    child.once("exit", (code) => reject(new Error(`the ledger ended with ${code}`)));
  });
  return child;
}

/** Gives `write(entry)`, which resolves when the ledger has the entry in its file. */
export async function openLedger(folder) {
  const connection = net.connect(socket(folder));
  await new Promise((resolve, reject) => {
    connection.once("connect", resolve);
    connection.once("error", reject);
  });
  const waiting = [];
  readline.createInterface({ input: connection }).on("line", () => waiting.shift()());
  return {
    write: (entry) => new Promise((resolve) => {
      waiting.push(resolve);
      connection.write(`${JSON.stringify({ at: Date.now(), ...entry })}\n`);
    }),
    close: () => connection.destroy(),
  };
}

/** Everything in the ledger, one object per key: what was asked, with what became of it. */
export function readLedger(folder) {
  const items = new Map();
  for (const line of fs.readFileSync(file(folder), "utf8").split("\n").slice(0, -1)) {
    const { what, at, app, key, ...rest } = JSON.parse(line);
    const name = `${app} ${key}`;
    const item = items.get(name) ?? items.set(name, { app, key, backs: [] }).get(name);
    if (what === "asked") Object.assign(item, { askedAt: at, user: rest.user });
    if (what === "acknowledged") Object.assign(item, { acknowledgedAt: at, id: rest.id });
    if (what === "refused") item.refused = rest.error;
    if (what === "back") item.backs.push({ at, ...rest });
  }
  return [...items.values()];
}

function serve(folder) {
  const log = fs.openSync(file(folder), "a");
  const server = net.createServer((connection) => {
    connection.on("error", () => {}); // the load was stopped
    readline.createInterface({ input: connection }).on("line", (line) => {
      fs.writeSync(log, `${line}\n`);
      if (connection.writable) connection.write("written\n");
    });
  });
  server.listen(socket(folder), () => console.log("ready"));
  process.stdin.on("end", () => process.exit(0)).resume();
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {}); // ends with whoever started it, not before
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve(process.argv[2]);
