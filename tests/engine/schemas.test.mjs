// Postgres and ajv agree about every payload, under schemas that are made from a seed.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

import addFormats from "ajv-formats";

import { Server } from "../../sdk/local/stack/server.mjs";
import { isSoak } from "../support.mjs";
import { generator, randomFrom } from "./schemas/generate.mjs";

const Ajv = createRequire(import.meta.url)("ajv/dist/2020").default;
const SEED = Number(process.env.GRISTMILL_SEED ?? (isSoak ? Date.now() % 1_000_000 : 24));
const PAIRS = isSoak ? 20_000 : 2_000;
const CHUNK = 500;

let server;
before(async () => {
  server = await new Server("schemas").start();
  await server.create("schemas");
  const { code, stderr } = await server.gristmill("schemas", "migrate");
  assert.equal(code, 0, stderr);
});
after(() => server?.destroy());

// Only the formats that we check are checked.
const ajv = new Ajv({ strict: false, logger: false, validateSchema: false, addUsedSchema: false });
addFormats.default(ajv, ["date-time", "date", "uuid", "email", "uri"]);

test(`Postgres and ajv give the same verdict on ${PAIRS} pairs of a schema and a payload (seed ${SEED})`, async () => {
  const { family } = generator(randomFrom(SEED));
  let fitting = 0;
  await server.connected("schemas", async (client) => {
    for (let done = 0; done < PAIRS; done += CHUNK) {
      const families = Array.from({ length: CHUNK / 10 }, () => family(10));
      const { rows } = await client.query(
        `select mill.schema_violation(c.compiled, c.compiled, p.value) as violation
         from (select mill.compile_schema(f.schema) as compiled, f.values, f.n from unnest($1::jsonb[], $2::jsonb[]) with ordinality as f(schema, values, n) offset 0) c
         cross join lateral jsonb_array_elements(c.values) with ordinality as p(value, n) order by c.n, p.n`,
        [families.map(([{ schema }]) => JSON.stringify(schema)), families.map((family) => JSON.stringify(family.map(({ value }) => value)))]);
      families.flat().forEach((made, n) => {
        const wanted = ajv.validate(made.schema, made.value);
        fitting += wanted;
        assert.equal(rows[n].violation === null, wanted, `${JSON.stringify(made)}\nPostgres says ${rows[n].violation}`);
      });
    }
  });
  assert.ok(fitting > PAIRS * 0.2 && fitting < PAIRS * 0.8, `${fitting} of ${PAIRS} fit`);
});
