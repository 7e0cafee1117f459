// Answers `POST /rest/v1/rpc/NAME` from a database in this process, as PostgREST would: the caller's role and claims, arguments by name, one transaction
// per call, and errors as {code, message, details, hint}. So the ordinary client works on it unchanged.
import type { PGlite, Results, Transaction } from "@electric-sql/pglite";

/** What the token of a caller says. */
export interface Claims {
  role: string;
  sub?: string;
  [claim: string]: unknown;
}

interface Routine {
  names: string[];
  types: string[];
  required: number;
  variadic: boolean;
  isSet: boolean;
  returns: "nothing" | "value" | "row";
}

const ROUTINES = `
  select coalesce(p.proargnames[1:p.pronargs], '{}') as names,
    array(select format_type(t.type, null) from unnest(p.proargtypes::oid[]) with ordinality as t(type, n) order by t.n) as types,
    p.pronargs - p.pronargdefaults as required, p.provariadic <> 0 as variadic, p.proretset as "isSet",
    case when p.prorettype = 'void'::regtype then 'nothing'
         when r.typtype = 'c' or p.prorettype = 'record'::regtype or p.proargmodes && '{t,o,b}' then 'row'
         else 'value' end as returns
  from pg_proc p join pg_type r on r.oid = p.prorettype
  where p.pronamespace = to_regnamespace(quote_ident($1)) and p.proname = $2 and p.prokind = 'f'`;

const EXPOSED = ["public"];

/** A token that this database takes. It is not signed: whoever is in the process may be anybody. */
export function tokenOf(claims: Claims): string {
  const part = (value: object) => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value)))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${part({ alg: "none" })}.${part(claims)}.`;
}

function claimsOf(token: string): Claims | null {
  try {
    const text = atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/"));
    const claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
    return typeof claims.role === "string" ? claims : null;
  } catch {
    return null;
  }
}

/** PostgREST's table from SQLSTATE to status. */
export function statusOf(code: string, message: string, isSignedIn: boolean): number {
  if (/^PT[2-5]\d\d$/.test(code)) return Number(code.slice(2));
  if (code.startsWith("PT")) return 500;
  const exact: Record<string, number> = {
    "57014": 503, "40P01": 503, "40001": 503, "55P03": 503, "25006": 503, "57P01": 503, "23503": 409, "23505": 409, "53400": 500, P0001: 400, "42883": 404, "42P01": 404,
    "42P17": 500, "42501": isSignedIn ? 403 : 401, "21000": message.endsWith("requires a WHERE clause") ? 400 : 500,
  };
  if (exact[code] !== undefined) return exact[code];
  if (code === "22023" && /^role.*does not exist$/.test(message)) return 401;
  const group = code.slice(0, 2);
  if (["08", "53"].includes(group)) return 503;
  if (["0L", "0P", "28"].includes(group)) return 403;
  return ["09", "25", "2D", "38", "39", "3B", "40", "54", "55", "57", "58", "F0", "HV", "P0", "XX"].includes(group) ? 500 : 400;
}

class Refusal extends Error {
  constructor(readonly status: number, readonly body: { code: string; message: string; details: string | null; hint: string | null }, readonly headers: Record<string, string> = {}) {
    super(body.message);
  }
}

const refuse = (status: number, code: string, message: string, details: string | null = null, hint: string | null = null) => new Refusal(status, { code, message, details, hint });

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

export class Postgrest {
  /** By schema and name, until somebody runs SQL of their own. */
  #routines = new Map<string, Routine[]>();

  constructor(readonly db: PGlite, readonly now: () => number) {}

  /** After SQL that may have made or changed functions. */
  forget(): void {
    this.#routines.clear();
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const text = await request.text();
    // Like a request that was cut off before it was answered.
    request.signal.throwIfAborted();
    const date = { date: new Date(this.now()).toUTCString() };
    try {
      const body = await this.#answer(request, text);
      return body === null ? new Response(null, { status: 204, headers: date }) : new Response(body, { headers: { ...date, "content-type": "application/json; charset=utf-8" } });
    } catch (error) {
      const { status, body, headers } = error instanceof Refusal ? error : refusalOf(error, request);
      return Response.json(body, { status, headers: { ...date, ...headers } });
    }
  };

  async #answer(request: Request, text: string): Promise<string | null> {
    const { pathname } = new URL(request.url);
    const [, name] = /^(?:\/rest\/v1)?\/rpc\/([^/]+)$/.exec(pathname) ?? [];
    if (name === undefined) throw refuse(404, "PGRST125", "Invalid path specified in request URL", `This database in the process answers /rest/v1/rpc/NAME, and not ${pathname}.`);
    if (request.method !== "POST") throw refuse(405, "PGRST101", `Cannot use the ${request.method} method on RPC`);
    const schema = request.headers.get("content-profile") ?? "public";
    if (!EXPOSED.includes(schema) && !(await this.#has(schema))) throw refuse(406, "PGRST106", `Invalid schema: ${schema}`, null, `Only the following schemas are exposed: ${EXPOSED.join(", ")}`);

    const bearer = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    const claims = bearer === undefined ? { role: "anon" } : claimsOf(bearer);
    if (!claims) throw refuse(401, "PGRST301", "The token is none of this database", null, "Use the key or the token that testing() gives");

    let args: object;
    try {
      args = text === "" ? {} : JSON.parse(text);
    } catch {
      throw refuse(400, "PGRST102", "Empty or invalid json");
    }
    if (args === null || typeof args !== "object" || Array.isArray(args)) throw refuse(400, "PGRST102", "All object keys must match");
    const routine = await this.#find(schema, decodeURIComponent(name), Object.keys(args));
    const headers = JSON.stringify(Object.fromEntries(request.headers));
    return this.db.transaction(async (tx) => {
      await tx.query(
        `select set_config('search_path', $1, true), set_config('role', $2, true), set_config('request.jwt.claims', $3, true), set_config('request.headers', $4, true),
           set_config('request.method', 'POST', true), set_config('request.path', $5, true)`,
        [quote(schema), claims.role, JSON.stringify(claims), headers, pathname]);
      return run(tx, `${quote(schema)}.${quote(decodeURIComponent(name))}`, routine, args);
    });
  }

  async #has(schema: string): Promise<boolean> {
    if (schema === "mill" || schema.startsWith("pg_") || schema === "information_schema") return false;
    return (await this.db.query<{ found: boolean }>("select to_regnamespace(quote_ident($1)) is not null as found", [schema])).rows[0]!.found;
  }

  async #find(schema: string, name: string, given: string[]): Promise<Routine> {
    const key = `${schema}.${name}`;
    if (!this.#routines.has(key)) this.#routines.set(key, (await this.db.query<Routine>(ROUTINES, [schema, name])).rows);
    const fitting = this.#routines.get(key)!.filter(({ names, required }) =>
      given.every((arg) => names.includes(arg)) && names.slice(0, required).every((arg) => given.includes(arg)));
    if (fitting.length > 1) throw refuse(300, "PGRST203", `Could not choose the best candidate function between: ${fitting.map(({ names }) => `${key}(${names.join(", ")})`).join(", ")}`);
    if (fitting.length === 1) return fitting[0]!;
    given.sort();
    const list = given.length > 0 ? `(${given.join(", ")})` : "";
    throw refuse(404, "PGRST202", `Could not find the function ${key}${list || " without parameters"} in the schema cache`,
      `Searched for the function ${key} ${given.length > 0 ? `with parameters ${given.join(", ")}` : "without parameters"}, but no matches were found in the schema cache.`);
  }
}

async function run(tx: Transaction, name: string, { names, types, variadic, isSet, returns }: Routine, args: object): Promise<string | null> {
  const given = names.map((arg, place) => ({ arg, type: types[place]!, isLast: place === names.length - 1 })).filter(({ arg }) => arg in args);
  const list = given.map(({ arg, isLast }) => `${variadic && isLast ? "variadic " : ""}${quote(arg)} => a.${quote(arg)}`).join(", ");
  const from = given.length === 0 ? "" : `json_to_record($1::json) as a(${given.map(({ arg, type }) => `${quote(arg)} ${type}`).join(", ")}), `;
  // A function in FROM that answers one column is that column, not a row with it; a subquery is always a row.
  const call = returns === "row" ? `lateral (select f.* from ${name}(${list}) as f) as r` : `lateral ${name}(${list}) as r(value)`;
  const one = returns === "row" ? "to_json(r)" : "to_json(r.value)";
  const { rows }: Results<{ body: string | null }> = await tx.query(`select (${isSet ? `coalesce(json_agg(${one}), '[]')` : one})::text as body from ${from}${call}`,
    given.length === 0 ? [] : [JSON.stringify(args)]);
  return returns === "nothing" ? null : (rows[0]?.body ?? "null");
}

/** A mistake that Postgres reports. Any other is one of ours, and is thrown. */
function refusalOf(error: unknown, request: Request): Refusal {
  const { code, message, detail = null, hint = null } = error as { code?: string; message: string; detail?: string | null; hint?: string | null };
  if (typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code)) throw error;
  if (code === "PGRST") {
    try {
      const { status, headers } = JSON.parse(detail ?? "");
      return new Refusal(status, { details: null, hint: null, ...JSON.parse(message) }, headers);
    } catch {
      return refuse(500, "PGRST121", "Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error", `Invalid JSON value for MESSAGE: '${message}'`);
    }
  }
  return refuse(statusOf(code, message, request.headers.has("authorization")), code, message, detail, hint);
}
