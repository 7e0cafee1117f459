// Makes sdk/typescript/image/engine.tar.gz: a data folder of PGlite in which the engine is installed, for gristmill/testing. Does nothing when the
// engine's SQL and PGlite are those of the image that is there. Making it takes about 10 s, most of it initdb; starting from it takes one to two.
import { PGlite } from "@electric-sql/pglite";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

import { gristmill, root } from "../../sdk/local/stack/paths.mjs";
import { KEEP } from "../../sdk/typescript/dist/testing/engine.js";

const folder = path.join(root, "sdk/typescript/image");
const file = path.join(folder, "engine.tar.gz");
const note = path.join(folder, "engine.json");

// The sources of this checkout, also where the binary was compiled from another.
const env = { ...process.env, GRISTMILL_SQL_DIR: process.env.GRISTMILL_SQL_DIR ?? path.join(root, "sql") };
const sql = execFileSync(gristmill, ["migrate", "--sql"], { encoding: "utf8", maxBuffer: 1 << 26, env });
const { version } = JSON.parse(fs.readFileSync(path.join(root, "node_modules/@electric-sql/pglite/package.json"), "utf8"));
const made = { pglite: version, sql: createHash("sha256").update(sql).update(KEEP).update(fs.readFileSync(new URL(import.meta.url))).digest("hex") };
if (fs.existsSync(file) && fs.existsSync(note) && fs.readFileSync(note, "utf8") === JSON.stringify(made)) process.exit(0);

const db = new PGlite();
await db.exec(sql);
// What tests do not need is two thirds of the size: the template databases, and 16 MB of the log that wrote the catalog.
await db.exec("update pg_database set datistemplate = false");
for (const name of ["template0", "template1"]) await db.exec(`drop database ${name}`);
await db.exec("vacuum full analyze");
await db.exec(KEEP);
await db.exec("set wal_recycle = off");
for (let round = 0; round < 2; round++) {
  await db.query("select pg_switch_wal()");
  await db.exec("checkpoint");
}
const dump = await db.dumpDataDir("gzip");
await db.close();

const image = gzipSync(gunzipSync(Buffer.from(await dump.arrayBuffer())), { level: 9 });
fs.mkdirSync(folder, { recursive: true });
fs.writeFileSync(`${file}.new`, image);
fs.renameSync(`${file}.new`, file);
fs.writeFileSync(note, JSON.stringify(made));
console.log(`sdk: the image for gristmill/testing has ${(image.length / 1e6).toFixed(1)} MB (PGlite ${version})`);
process.exit(0); // PGlite keeps the process alive
