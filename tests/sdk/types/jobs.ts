// Compiled by tests/sdk/types.test.mjs. Each line below a @ts-expect-error must not compile.
import { type } from "arktype";
import { dead, defineJob, defineSchedule, gristmill, handle, snooze, type Context, type Job } from "gristmill";
import { defineWorkflow, ref } from "gristmill/workflows";
import * as v from "valibot";
import { z } from "zod";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(..._: Equal<A, B> extends true ? [] : [never]) => {};

const mill = gristmill({ url: "http://localhost", key: "key" });

// Inference, library by library. A schema that transforms has an input for enqueue and an output for the handler.
const byZod = defineJob("zod", { queue: "mail", schema: z.object({ to: z.email(), at: z.string().transform((text) => new Date(text)), copies: z.number().default(1) }), unique: { by: ["to"], within: "1h" } });
const byValibot = defineJob("valibot", { schema: v.object({ to: v.pipe(v.string(), v.email()), copies: v.optional(v.number(), 1) }) });
const byArktype = defineJob("arktype", { schema: type({ to: "string.email", "copies?": "number" }) });
const byHand = defineJob("hand", { queue: "mail", maxAttempts: 3 }).payload<{ to: string }>();
const bare = defineJob("bare");

handle(byZod, ({ payload }) => same<typeof payload, { to: string; at: Date; copies: number }>());
handle(byValibot, ({ payload }) => same<typeof payload, { to: string; copies: number }>());
handle(byArktype, ({ payload }) => same<typeof payload, { to: string; copies?: number }>());
handle(byHand, ({ payload }) => same<typeof payload, { to: string }>());
handle(bare, ({ payload }) => same<typeof payload, Record<string, unknown>>());
same<typeof byZod, Job<"zod", { to: string; at: string; copies?: number | undefined }, { to: string; at: Date; copies: number }>>();

await mill.enqueue(byZod, { to: "a@b.c", at: "2030-01-01" });
await mill.enqueue(byValibot, { to: "a@b.c" });
await mill.enqueue(byArktype, { to: "a@b.c" }, { in: "5m", groupKey: "tenant", idempotencyKey: "once" });
await mill.enqueue(byHand, { to: "a@b.c" }, { runAt: new Date(), unique: false });
await mill.enqueue(bare, { anything: 1 });
await mill.enqueueMany(byHand, [{ to: "a" }, { to: "b" }]);
await mill.enqueueAll([byHand.with({ to: "a" }), byZod.with({ to: "a@b.c", at: "2030-01-01" }, { priority: 9 })]);

// A wrong payload.
// @ts-expect-error a number is no address
await mill.enqueue(byZod, { to: 1, at: "2030-01-01" });
// @ts-expect-error a field is missing
await mill.enqueue(byZod, { to: "a@b.c" });
// @ts-expect-error a field is unknown
await mill.enqueue(byHand, { to: "a@b.c", subject: "x" });
// @ts-expect-error valibot
await mill.enqueue(byValibot, { copies: 2 });
// @ts-expect-error arktype
await mill.enqueue(byArktype, { to: "a@b.c", copies: "two" });
// @ts-expect-error the output of a schema is no input
await mill.enqueue(byZod, { to: "a@b.c", at: new Date() });
// @ts-expect-error one of many
await mill.enqueueMany(byHand, [{ to: "a" }, { too: "b" }]);
// @ts-expect-error in a list of several kinds
await mill.enqueueAll([byHand.with({ to: 1 })]);

// A kind that is no job.
// @ts-expect-error a text is no job
await mill.enqueue("hand", { to: "a@b.c" });
// @ts-expect-error not defined
await mill.enqueue(byPigeon, { to: "a@b.c" });

// Options.
// @ts-expect-error a field that the payload does not have
defineJob("unique", { schema: z.object({ to: z.string() }), unique: { by: ["too"], within: "1h" } });
// @ts-expect-error not a duration
await mill.enqueue(byHand, { to: "a" }, { in: "5 minutes" });
// @ts-expect-error an option that is none
await mill.enqueue(byHand, { to: "a" }, { delay: 5 });

// Handlers.
const zodHandler = handle(byZod, () => null), handHandler = handle(byHand, async ({ payload, signal, log }) => {
  log.warn("slow", { to: payload.to });
  if (signal.aborted) return snooze("30s");
  return payload.to ? { sent: true } : dead("no address");
});
mill.serve([zodHandler, handHandler], { jobs: [byZod, byHand] });
mill.serve([zodHandler]);
void mill.work([zodHandler, handHandler], { concurrency: 5, jobs: [byHand] });
// @ts-expect-error byHand has no handler
mill.serve([zodHandler], { jobs: [byZod, byHand] });
// @ts-expect-error byZod has no handler
void mill.work([handHandler], { jobs: [byZod] });
// @ts-expect-error a job is no handler
mill.serve([byZod]);
// @ts-expect-error the handler asks for another payload
handle(byHand, ({ payload }: Context<{ from: string }>) => payload.from);
// @ts-expect-error the payload has no such field
handle(byHand, ({ payload }) => payload.subject);
// @ts-expect-error the log has no such level
handle(byHand, ({ log }) => log.fatal("x"));

// Schedules.
const nightly = defineSchedule("nightly", byHand, { cron: "30 2 * * *", timeZone: "Europe/Paris", payload: { to: "a" } });
mill.serve([handHandler], { schedules: [nightly] });
await mill.register({ jobs: [byHand], schedules: [nightly] });
defineSchedule("often", byHand, { every: "15m", payload: {}, dueField: "to" });
// @ts-expect-error the payload has no such field
defineSchedule("a", byHand, { every: "15m", payload: { subject: "x" } });
// @ts-expect-error the payload lacks a field
defineSchedule("a", byHand, { every: "15m", payload: {} });
// @ts-expect-error the due time goes into no such field
defineSchedule("a", byHand, { every: "15m", payload: { to: "a" }, dueField: "at" });
// @ts-expect-error both an expression and an interval
defineSchedule("a", byHand, { every: "15m", cron: "0 * * * *", payload: { to: "a" } });
// @ts-expect-error neither
defineSchedule("a", byHand, { payload: { to: "a" } });

// Workflows.
const digest = defineWorkflow("digest", { defaults: { copies: 1 } })
  .task("split", byHand, { input: { to: ref("params.book") } })
  .task("chapter", byValibot, { needs: ["split"], forEach: "split.chapters", input: { to: "Chapter {{index}}", copies: ref("params.copies") } })
  .task("check", byHand, { each: "chapter", input: { to: ref("chapter.path") }, onFailure: "skip" });
await digest.register(mill);
// @ts-expect-error there is no task before it that is called so
digest.task("whole", byHand, { needs: ["chapters"], input: { to: "a" } });
// @ts-expect-error the payload has no such field
digest.task("whole", byHand, { input: { from: "a" } });
// @ts-expect-error a number is wanted, or a reference to one
digest.task("whole", byValibot, { input: { to: "a", copies: "two" } });

// The answers.
const { id, status } = await mill.enqueue(byHand, { to: "a" });
same<typeof id, string>();
same<typeof status, "new" | "duplicate">();
const done = await mill.wait<{ sent: boolean }>(id);
same<typeof done.result, { sent: boolean } | null>();
