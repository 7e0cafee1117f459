// the staleness pass over 300,000 subscriptions, and one batch of 50 refreshes against the simulated provider
import fs from "node:fs";
import http from "node:http";

import pg from "pg";

import { Stack } from "../../../sdk/local/stack/stack.mjs";
import { percentile } from "./progress.mjs";

export const parts = ["staleness", "batch"];
const SYMBOLS = 10_000;
const WATCHERS = 30;
const BATCHES = 20;
const LATENCY_MS = 20;

export default async function* measure({ progress, only }) {
  if (only !== "batch") yield* staleness(progress);
  if (only !== "staleness") yield* batch(progress);
}

async function* staleness(progress) {
  const stack = new Stack(`bench-refresh-${process.pid}`, { parts: [], onStep: (part) => progress(`starting ${part}`) });
  try {
    await stack.start();
    const session = new pg.Client({ connectionString: stack.databaseUrl });
    await session.connect();
    progress(`${SYMBOLS * WATCHERS} subscriptions`);
    await session.query("insert into public.supported_symbols (symbol) select 'S' || lpad(n::text, 5, '0') from generate_series(1, $1::int) n", [SYMBOLS]);
    await session.query(`insert into public.active_subscriptions_v2
      select gen_random_uuid(), s.symbol, (array['quote', 'profile', 'earnings', 'financial-statements'])[1 + w % 4], now(), now() + interval '10 minutes'
      from public.supported_symbols s cross join generate_series(1, $1::int) w`, [WATCHERS]);
    await session.query("vacuum analyze public.active_subscriptions_v2");
    const { rows: [{ pid }] } = await session.query("select pg_backend_pid() as pid");

    // First everything is missing and queued; then everything is queued already.
    for (const what of ["all missing", "all queued already"]) {
      const memory = [];
      const sample = setInterval(() => memory.push(privateMegabytes(pid)), 200);
      memory.push(privateMegabytes(pid));
      const files = await tempFiles(session);
      const begun = performance.now();
      await session.query("call mill.check_stale_data()");
      const seconds = (performance.now() - begun) / 1000;
      clearInterval(sample);
      memory.push(privateMegabytes(pid));
      const { rows: [{ queued }] } = await session.query("select count(*)::int as queued from mill.job_live");
      yield { metric: `staleness pass, ${SYMBOLS * WATCHERS} subscriptions, ${what}`, value: seconds, unit: "s", peer: "limit 60 s", ratio: seconds / 60 };
      const half = memory.slice(Math.floor(memory.length / 4));
      yield { metric: "  private memory of its session, a quarter in to the end", value: Math.max(...half) - half[0], unit: "MB more", peer: `from ${half[0].toFixed(1)} MB` };
      yield { note: `${what}: ${queued} refreshes queued, ${(await tempFiles(session)) - files} temporary files` };
    }
    await session.end();
  } finally {
    progress("stopping");
    await stack.destroy();
  }
}

const privateMegabytes = (pid) => Number(/^RssAnon:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
const tempFiles = async (session) => (await session.query("select temp_files::int as n from pg_stat_database where datname = current_database()")).rows[0].n;

async function* batch(progress) {
  for (const runtime of ["workerd", "deno"]) {
    const passed = [];
    const proxy = http.createServer((request, response) => {
      passed.push(request.url);
      const { hostname, port } = proxy.target;
      const onward = http.request({ hostname, port, path: request.url, method: request.method, headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward);
    });
    await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const stack = new Stack(`bench-refresh-${process.pid}`, { parts: ["gateway", "provider", "relay", runtime],
      env: { functions: { SUPABASE_URL: `http://127.0.0.1:${proxy.address().port}` } }, onStep: (part) => progress(`starting ${part}`) });
    try {
      await stack.start();
      proxy.target = new URL(stack.url);
      const sql = async (text, values) => (await stack.postgres.query(text, values)).rows;
      await fetch(`${stack.providerUrl}/control`, { method: "POST", body: JSON.stringify({ mode: "honest", latency_ms: LATENCY_MS }) });
      await sql("insert into public.supported_symbols (symbol) select 'S' || n from generate_series(1, 50) n");
      const times = [];
      const trips = [];
      for (let at = -3; at < BATCHES; at++) {
        progress(`${runtime}: batch ${Math.max(at + 1, 0)} of ${BATCHES}`);
        await sql("delete from mill.job; delete from mill.invocation; delete from mill.api_use; delete from public.quotes");
        passed.length = 0;
        await sql(`select mill.queue_refreshes((select r from public.data_type_registry r where data_type = 'quote'), array(select symbol from public.supported_symbols), 5)`);
        let ended = [];
        for (const patience = Date.now() + 20_000; ended.length === 0 && Date.now() < patience; ) {
          // By the database's clock: from its claim to the end of its settlement, which is all of the function but the first request's way.
          ended = await sql("select extract(epoch from ended_at - begun_at) * 1000 as ms from mill.invocation where queue = 'refresh' and claimed = 50 and ended_at is not null");
        }
        if (ended.length === 0) throw new Error("the batch did not end within 20 s");
        if (at < 0) continue;
        times.push(Number(ended[0].ms));
        trips.push(passed.filter((path) => path.includes("refresh")).length);
      }
      const p50 = percentile(times, 0.5);
      yield { metric: `${runtime}: batch of 50 at ${LATENCY_MS} ms a call, p50`, value: p50, unit: "ms", peer: "limit 250 ms", ratio: p50 / 250 };
      yield { metric: `${runtime}: the slowest of ${BATCHES}`, value: Math.max(...times), unit: "ms" };
      yield { metric: `${runtime}: round trips to Postgres a batch`, value: Math.min(...trips), unit: "RPCs", peer: "claim_refresh, settle_refresh (which writes)" };
    } finally {
      progress("stopping");
      await stack.destroy();
      proxy.close();
    }
  }
}
