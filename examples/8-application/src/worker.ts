// Runs the jobs of the gallery until SIGINT or SIGTERM.
import { writeFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gristmill } from "gristmill";
import { handlers } from "./gallery.js";

const folder = process.env["PICTURES"] ?? "pictures";
const all = handlers(async (picture, path) => {
  // Put a library for pictures here.
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), `a small picture of ${picture}\n`);
});
const mill = gristmill();
await mill.register({ queues: [{ queue: "thumbnails", description: "Small pictures of large ones", leaseSeconds: 60 }], jobs: all });
console.log("working");
await mill.work(all);
