// gristmill/prisma with the real client of Prisma, which is 300 MB: installed from npm, in soak only.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { root } from "../../sdk/local/stack/paths.mjs";
import { isSoak, startStack } from "../support.mjs";

const run = promisify(execFile);
const skip = !isSoak && "installs 300 MB: in soak only";
const VERSION = "7.10.0";
const PROGRAM = `
import { PrismaPg } from "@prisma/adapter-pg";
import { PrismaClient } from "./generated/client.js";
import { enqueue } from "${root}/sdk/typescript/dist/adapters/prisma.js";
import { defineJob } from "${root}/sdk/typescript/dist/index.js";
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }) });
const ship = defineJob("ship").payload();
const place = (id, job, fails) => prisma.$transaction(async (tx) => {
  await tx.orders.create({ data: { id } });
  const { status } = await enqueue(tx, job, { order: id });
  if (fails) throw new Error("no money");
  return status;
}).catch((error) => error.name + " " + (error.code ?? error.message));
console.log(JSON.stringify([await place("kept", ship), await place("gone", ship, true), await place("refused", defineJob("send_pigeon"))]));
await prisma.$disconnect();
`;

let stack, folder;
before(async () => {
  if (skip) return;
  stack = await startStack("prisma", { parts: [], applications: "none" });
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-prisma-"));
  const write = (name, text) => fs.writeFileSync(path.join(folder, name), text);
  write("package.json", `{ "type": "module", "private": true }`);
  write("schema.prisma", `generator client {\n  provider = "prisma-client"\n  output = "./generated"\n}\ndatasource db {\n  provider = "postgresql"\n}\nmodel orders {\n  id String @id\n}\n`);
  write("prisma.config.mjs", `export default { schema: "schema.prisma", datasource: { url: "postgresql://nobody@127.0.0.1:1/nobody" } };`);
  write("program.ts", PROGRAM);
  await run("npm", ["install", "--no-audit", "--no-fund", "--silent", ...["prisma", "@prisma/client", "@prisma/adapter-pg"].map((name) => `${name}@${VERSION}`)], { cwd: folder });
  // generate would download the engine of prisma migrate, which it does not use.
  await run("npx", ["prisma", "generate"], { cwd: folder, env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath } });
  await run(path.join(root, "node_modules/.bin/esbuild"), ["program.ts", "--bundle", "--platform=node", "--format=esm", "--packages=external", "--outfile=program.mjs"], { cwd: folder });
});
after(async () => {
  if (folder) fs.rmSync(folder, { recursive: true, force: true });
  await stack?.destroy();
});

test("a job and a row of Prisma are committed together or not at all", { skip }, async () => {
  await stack.postgres.query(`
    insert into mill.queue (queue, served_by) values ('ship', 'external'); insert into mill.kind (kind, queue) values ('ship', 'ship');
    create role shop login password 'shop' in role gristmill_app; create table public.orders (id text primary key); grant insert, select on public.orders to shop`);
  const { stdout } = await run(process.execPath, ["program.mjs"], { cwd: folder, env: { ...process.env, DATABASE_URL: stack.postgres.url("shop", "shop") } });
  assert.deepEqual(JSON.parse(stdout), ["new", "Error no money", "UnknownKind GM001"]);
  const { rows } = await stack.postgres.query("select (select array_agg(id) from public.orders) as orders, (select array_agg(payload ->> 'order') from mill.job) as jobs");
  assert.deepEqual(rows, [{ orders: ["kept"], jobs: ["kept"] }]);
});
