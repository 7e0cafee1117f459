// A quote for somebody who begins to look at it, and a data type that is an INSERT and nothing else.
import pg from "pg";

export const order = 3;
export const title = "Data is fresh for whoever is looking";
export const way = "subscribe → stale → queue → provider (simulated) → checked → written";

export async function show({ stack, user, until }) {
  const owner = new pg.Client({ connectionString: stack.databaseUrl });
  await owner.connect();
  try {
    await owner.query(`insert into public.supported_symbols (symbol, name) values ('AAPL', 'Apple Inc.'), ('MSFT', 'Microsoft') on conflict do nothing`);
    await declareDividends(owner);
    const quote = await watch("quote", "quotes");
    const dividend = await watch("dividend", "dividends");
    return {
      quote: `AAPL ${quote.price}, made ${quote.quoted_at}, fetched ${quote.fetched_at}`,
      dividend: `AAPL ${dividend.yield}%: a type by INSERT alone, see docs/add-a-data-type.md`,
    };
  } finally {
    await owner.end();
  }

  async function watch(dataType, table) {
    const headers = { ...user.headers, apikey: stack.anonKey };
    const body = JSON.stringify({ p_symbol: "AAPL", p_data_type: dataType });
    const answer = await fetch(`${stack.url}/rest/v1/rpc/upsert_active_subscription_v2`, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(`subscribing answered ${answer.status}: ${await answer.text()}`);
    return until(`the ${dataType} of AAPL is there`, async () =>
      (await (await fetch(`${stack.url}/rest/v1/${table}?symbol=eq.AAPL`, { headers })).json())[0], 150);
  }
}

async function declareDividends(owner) {
  const { rowCount } = await owner.query("select from public.data_type_registry where data_type = 'dividend'");
  if (rowCount > 0) return;
  await owner.query(`
    create table public.dividends (symbol text primary key, yield numeric not null, as_of timestamptz not null, fetched_at timestamptz not null);
    alter table public.dividends enable row level security;
    create policy everyone_reads on public.dividends for select to authenticated using (true);
    grant select on public.dividends to authenticated;
    insert into public.data_type_registry (data_type, table_name, source_timestamp_column, default_ttl_minutes, endpoint_template, response_schema, column_map) values
      ('dividend', 'dividends', 'as_of', 5, '/stable/dividend/{symbol}',
       '{"type": "object", "required": ["symbol", "yield", "asOf"], "properties": {"symbol": {"type": "string"}, "yield": {"type": "number", "minimum": 0, "maximum": 100}, "asOf": {"type": "integer"}}}',
       '{"symbol": "/symbol", "yield": "/yield", "as_of": "/asOf"}');
    notify pgrst, 'reload schema'`);
}
