// Refresh the whole way, with the built artefacts and the simulated provider, on both runtimes.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { signIn, startStack, until } from "../support.mjs";

const DIVIDENDS = `
  create table public.dividends (symbol text primary key, yield numeric not null, payout_ratio numeric, as_of timestamptz not null, fetched_at timestamptz not null);
  alter table public.dividends enable row level security;
  insert into public.data_type_registry (data_type, table_name, source_timestamp_column, default_ttl_minutes, endpoint_template, response_schema, column_map) values
    ('dividend', 'dividends', 'as_of', 5, '/stable/dividend/{symbol}',
     '{"type": "object", "required": ["symbol", "yield", "payout", "asOf"], "additionalProperties": false, "properties": {
        "symbol": {"type": "string"}, "yield": {"type": "number", "minimum": 0, "maximum": 100}, "asOf": {"type": "integer"},
        "payout": {"type": "object", "properties": {"ratio": {"type": "number"}}}}}',
     '{"symbol": "/symbol", "yield": "/yield", "payout_ratio": "/payout/ratio", "as_of": "/asOf"}')`;

for (const runtime of ["workerd", "deno"]) {
  describe(`refresh in ${runtime}`, () => {
    let stack, user, sql;
    before(async () => {
      stack = await startStack(`refresh-${runtime}`, { parts: ["gateway", "provider", "relay", runtime] });
      sql = async (text, values) => (await stack.postgres.query(text, values)).rows;
      user = await signIn(stack);
      await sql("insert into public.supported_symbols (symbol) select 'S' || n from generate_series(1, 50) n");
      await sql("insert into public.supported_symbols (symbol) values ('AAPL'), ('BRK.B'), ('^GSPC')");
    });
    after(() => stack?.destroy());

    const rpc = async (name, body) => {
      const answer = await fetch(`${stack.url}/rest/v1/rpc/${name}`, { method: "POST", body: JSON.stringify(body),
        headers: { authorization: `Bearer ${user.token}`, apikey: stack.anonKey, "content-type": "application/json" } });
      const json = await answer.json();
      assert.equal(answer.status, 200, JSON.stringify(json));
      return json;
    };

    test("a data type by INSERT alone: subscribed, queued, fetched, validated, written, seen", async () => {
      await sql(DIVIDENDS);
      const leave = new AbortController();
      const stream = await fetch(`${stack.url}/functions/v1/refresh/v1/changes`, {
        headers: { authorization: `Bearer ${user.token}` }, signal: leave.signal });
      assert.equal(stream.status, 200);
      assert.match(stream.headers.get("content-type"), /^text\/event-stream/);
      const subscribed = await rpc("upsert_active_subscription_v2", { p_symbol: "BRK.B", p_data_type: "dividend" });
      assert.deepEqual(subscribed, { status: "new", queued: 1 });

      let text = "";
      for await (const piece of stream.body) {
        text += Buffer.from(piece);
        if (/^data: .*"dividend"/m.test(text)) break;
      }
      leave.abort();
      const seen = JSON.parse(/^data: (.*)$/m.exec(text)[1]);
      assert.equal(seen.symbol, "BRK.B");
      const [row] = await sql("select * from public.dividends");
      assert.equal(Number(seen.rows[0].yield), Number(row.yield));
      assert.equal(Number(row.payout_ratio), 0.3);
      assert.ok(row.as_of instanceof Date && row.fetched_at instanceof Date);
      assert.deepEqual(await sql("select tablename::text from pg_publication_tables where pubname = 'supabase_realtime' and tablename = 'dividends'"), [{ tablename: "dividends" }]);
    });

    test("another user sees no change of what it does not watch", async () => {
      const other = await signIn(stack);
      const answer = await fetch(`${stack.url}/rest/v1/rpc/get_data_changes`, { method: "POST", body: "{}",
        headers: { authorization: `Bearer ${other.token}`, apikey: stack.anonKey, "content-type": "application/json" } });
      assert.deepEqual(await answer.json(), { events: [], ended: false });
      assert.equal((await fetch(`${stack.url}/functions/v1/refresh/v1/changes`)).status, 401);
    });

    test("every built-in type is fetched and writes every column of its table", async () => {
      for (const type of ["quote", "profile", "earnings", "financial-statements"]) {
        await sql("select public.queue_refresh_if_not_exists('^GSPC', $1)", [type]);
      }
      await until(async () => (await sql("select from public.api_call_queue where symbol = '^GSPC' and status = 'completed'")).length === 4, "four refreshes");
      for (const [table, nullable] of [["quotes", []], ["company_profiles", []], ["earnings", ["eps_actual", "revenue_actual"]], ["financial_statements", []]]) {
        const [row] = await sql(`select * from public.${table} where symbol = '^GSPC' limit 1`);
        const empty = Object.keys(row).filter((column) => row[column] === null && column !== "cache_ttl_minutes" && !nullable.includes(column));
        assert.deepEqual(empty, [], `${table} is written whole`);
      }
    });

    test("one batch of 50 is one invocation, and each is settled once", async () => {
      await sql("delete from mill.invocation; delete from mill.api_use");
      await sql(`select mill.queue_refreshes((select r from public.data_type_registry r where data_type = 'quote'),
        array(select 'S' || n from generate_series(1, 50) n), 5)`);
      await until(async () => (await sql("select from public.quotes where symbol like 'S%'")).length === 50, "50 quotes");
      const [{ claimed }] = await until(async () => {
        const rows = await sql("select claimed from mill.invocation where queue = 'refresh' and ended_at is not null and claimed > 0");
        return rows.length > 0 && rows;
      }, "the invocation's end");
      assert.equal(claimed, 50);
      assert.deepEqual(await sql("select count(*)::int as n, max(attempt)::int as attempt from mill.job_done where kind = 'refresh.quote' and payload ->> 'symbol' like 'S%'"), [{ n: 50, attempt: 1 }]);
      const [{ bytes }] = await sql("select sum(data_size_bytes)::int as bytes from public.api_data_usage where data_type = 'quote'");
      assert.ok(bytes > 50 * 250, `${bytes} bytes were counted`);
    });
  });
}
