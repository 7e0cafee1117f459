// Compiled by tests/testing/types.test.mjs. Each line below a @ts-expect-error must not compile.
import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/node-postgres";
import { drizzle as drizzleOnPglite } from "drizzle-orm/pglite";
import { defineJob, handle } from "gristmill";
import * as byDrizzle from "gristmill/drizzle";
import * as byKysely from "gristmill/kysely";
import * as byPg from "gristmill/pg";
import * as byPrisma from "gristmill/prisma";
import { testing, type Drained, type TestJob } from "gristmill/testing";
import { Kysely } from "kysely";
import pg from "pg";
import { z } from "zod";

const sendReceipt = defineJob("send_receipt", { schema: z.object({ order: z.string(), lines: z.array(z.object({ sku: z.string(), count: z.number() })) }) });
const payload = { order: "1", lines: [{ sku: "a", count: 1 }] };

// node-postgres: a client, a client of a pool, PGlite and its transaction.
const pool = new pg.Pool();
const client = await pool.connect();
await byPg.enqueue(client, sendReceipt, payload, { in: "5m" });
await byPg.enqueue(new pg.Client(), sendReceipt, payload);
const lite = new PGlite();
await byPg.enqueue(lite, sendReceipt, payload);
await lite.transaction((tx) => byPg.enqueue(tx, sendReceipt, payload));
const { id, status } = await byPg.enqueue(client, sendReceipt, payload);
id satisfies string;
status satisfies "new" | "duplicate";
// @ts-expect-error a pool has no transaction
await byPg.enqueue(pool, sendReceipt, payload);
// @ts-expect-error a field is missing
await byPg.enqueue(client, sendReceipt, { order: "1" });
// @ts-expect-error a text is no job
await byPg.enqueue(client, "send_receipt", payload);
// @ts-expect-error in a list
await byPg.enqueueAll(client, [sendReceipt.with({ order: 1 })]);

// Drizzle, on two drivers.
const db = drizzle(pool);
await db.transaction((tx) => byDrizzle.enqueue(tx, sendReceipt, payload));
await drizzleOnPglite(lite).transaction((tx) => byDrizzle.enqueueAll(tx, [sendReceipt.with(payload, { priority: 9 })]));
// @ts-expect-error the database is no transaction
await byDrizzle.enqueue(db, sendReceipt, payload);
// @ts-expect-error a wrong payload
await db.transaction((tx) => byDrizzle.enqueue(tx, sendReceipt, { order: 1, lines: [] }));

// Kysely.
declare const kysely: Kysely<{ orders: { id: string } }>;
await kysely.transaction().execute((tx) => byKysely.enqueue(tx, sendReceipt, payload));
// @ts-expect-error the database is no transaction
await byKysely.enqueue(kysely, sendReceipt, payload);
// @ts-expect-error a wrong payload
await kysely.transaction().execute((tx) => byKysely.enqueue(tx, sendReceipt, { order: 1, lines: [] }));

// Prisma, as its generated client declares these. tests/testing/prisma.test.mjs compiles and runs the real one.
interface PrismaClient {
  $queryRawUnsafe<T = unknown>(query: string, ...values: any[]): Promise<T> & { [Symbol.toStringTag]: "PrismaPromise" };
  $transaction<R>(run: (tx: Omit<PrismaClient, "$transaction">) => Promise<R>): Promise<R>;
}
declare const prisma: PrismaClient;
await prisma.$transaction((tx) => byPrisma.enqueue(tx, sendReceipt, payload));
// @ts-expect-error the client is no transaction
await byPrisma.enqueue(prisma, sendReceipt, payload);
// @ts-expect-error a wrong payload
await prisma.$transaction((tx) => byPrisma.enqueue(tx, sendReceipt, {}));

// Testing.
await using t = await testing({ handlers: [handle(sendReceipt, ({ payload, job }) => [payload.order, job.worker])], now: "2030-01-01" });
(await t.requireEnqueued(sendReceipt, { order: "1" }, { count: 1 })) satisfies TestJob;
await t.refuteEnqueued(sendReceipt, { lines: [{ sku: "a", count: 1 }] });
(await t.drain(undefined, { withScheduled: true })) satisfies Drained;
(await t.clock.move("1h")) satisfies Date;
(await t.sql<{ n: number }>`select ${1} as n`)[0]!.n satisfies number;
// @ts-expect-error no such field in the payload
await t.requireEnqueued(sendReceipt, { oder: "1" });
// @ts-expect-error a field of another type
await t.requireEnqueued(sendReceipt, { order: 1 });
// @ts-expect-error no duration
await t.clock.move("an hour");
