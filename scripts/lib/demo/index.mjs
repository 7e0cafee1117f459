// What ./scripts/dev shows after the start. Each file beside this one is a demonstration:
//
//   order, title, way    where it stands, its heading, and the way that the work takes
//   show(given)          does it and returns what to print, a name and a text (or a list of lines) each
//
// given: stack; user {id, token, headers}; until(what, look) polls until look() is true and returns what it gave,
// or throws naming what after 60 s, or as many as a third argument says.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Runs demonstrations in turn, all or those that `chosen(order)` picks; `print({title, way, lines})` after each. */
export async function demonstrate(stack, print, chosen = () => true) {
  const id = randomUUID();
  const token = await stack.token({ role: "authenticated", sub: id });
  const user = { id, token, headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } };
  for (const { order, title, way, show } of await demonstrations()) {
    if (!chosen(order)) continue;
    print({ title, way, lines: Object.entries(await show({ stack, user, until })) });
  }
}

async function demonstrations() {
  const files = fs.readdirSync(import.meta.dirname).filter((file) => file.endsWith(".mjs") && file !== "index.mjs");
  const all = await Promise.all(files.map((file) => import(`./${file}`)));
  return all.sort((a, b) => a.order - b.order);
}

async function until(what, look, seconds = 60) {
  for (const deadline = Date.now() + seconds * 1000; Date.now() < deadline; await sleep(5)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`after ${seconds} s it is still not so that ${what}`);
}
