// Where pgmq's SQL lies. It is published inside the crate of the same name, so cargo fetches it: a manifest
// that depends on the crate is enough, and nothing is compiled.
import { execFile } from "node:child_process";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const VERSION = "0.33.7"; // holds pgmq 1.11.1
const INSIDE = "src/install/embedded/sql/pgmq.sql";
const run = promisify(execFile);

export async function pgmqSql() {
  const cache = process.env.CACHE ?? path.join(os.tmpdir(), "gristmill");
  const kept = path.join(cache, `pgmq-${VERSION}.sql`);
  if (await fs.access(kept).then(() => true, () => false)) return kept;
  const scratch = await fs.mkdtemp(path.join(os.tmpdir(), "gristmill-pgmq-"));
  try {
    await fs.cp(await unpacked(scratch), kept);
  } finally {
    await fs.rm(scratch, { recursive: true });
  }
  return kept;
}

async function unpacked(scratch) {
  await fs.mkdir(path.join(scratch, "src"));
  await fs.writeFile(path.join(scratch, "src/lib.rs"), "");
  await fs.writeFile(path.join(scratch, "Cargo.toml"),
    `[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\npgmq = { version = "=${VERSION}", default-features = false }\n`);
  const { stdout } = await run("cargo", ["metadata", "--format-version", "1"], { cwd: scratch, maxBuffer: 2 ** 26 });
  const crate = JSON.parse(stdout).packages.find(({ name }) => name === "pgmq");
  return path.join(path.dirname(crate.manifest_path), INSIDE);
}
