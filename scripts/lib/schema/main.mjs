// scripts/schema: writes sql/schema.sql, the dump of a full installation, and the types of its RPCs, or says which of the committed files is old.
import fs from "node:fs";
import path from "node:path";

import { root } from "../../../sdk/local/stack/paths.mjs";
import { hasDebianPostgres } from "../../../sdk/local/stack/postgres.mjs";
import { Server } from "../../../sdk/local/stack/server.mjs";
import { difference, DUMP, plain } from "./dump.mjs";
import { rpcTypes } from "./rpc.mjs";

const HEADING = `-- The schema of a full installation (gristmill migrate --with all), so that a change shows in review. Nothing runs this file.
-- Made by scripts/schema with Postgres 15. Partitions of days and months are left out.

`;

async function fresh() {
  const server = new Server("schema", { postgres: "debian" });
  try {
    await server.start();
    const { code, stdout, stderr } = await server.gristmill("gristmill", "migrate", "--with", "all");
    if (code !== 0) throw new Error(`gristmill migrate --with all failed\n${stdout}${stderr}`);
    return {
      "sql/schema.sql": HEADING + plain(await server.dump("gristmill", ...DUMP)),
      "sdk/typescript/src/rpc-types.ts": await server.connected("gristmill", (client) => rpcTypes(async (text) => (await client.query(text)).rows)),
    };
  } finally {
    await server.destroy();
  }
}

async function main([option]) {
  if (!hasDebianPostgres()) throw new Error("the dump is made with Debian's Postgres 15, which is not on this system");
  for (const [name, text] of Object.entries(await fresh())) {
    const file = path.join(root, name);
    if (option !== "--check") {
      fs.writeFileSync(file, text);
      console.log(`${name} has ${text.split("\n").length - 1} lines`);
      continue;
    }
    const found = difference(fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "", text);
    if (found === null) {
      console.log(`${name} is what a full installation has`);
      continue;
    }
    console.log(`${name} is old: a full installation has another schema. Renew it with ./scripts/schema and commit it.\nThe first difference is at ${found}`);
    process.exitCode = 1;
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 2;
}
