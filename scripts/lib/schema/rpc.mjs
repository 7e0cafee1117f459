// sdk/typescript/src/rpc-types.ts: the types of the functions that PostgREST serves, as a full installation has them.

export const HEADING = `// The functions that can be called as RPCs, with their arguments and answers. Made by scripts/schema from a full installation
// (gristmill migrate --with all): change the SQL, not this file.

/** Any value that JSON has. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined };

`;

/** Every function of public that a role of the API may execute. Triggers are no RPCs; a type that is a table's row brings its columns. */
export const CALLABLE = `
  select p.proname::text as name, obj_description(p.oid, 'pg_proc') as comment, p.proretset as returns_set,
    p.proargnames::text[] as names, p.proargmodes::text[] as modes, p.pronargs - p.pronargdefaults as required,
    array(select a.type::int from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality a(type, at) order by a.at) as types,
    p.prorettype::int as returns,
    array(select r.name from unnest(array['anon', 'authenticated', 'service_role']) r(name)
      where has_function_privilege(r.name, p.oid, 'execute') and has_schema_privilege(r.name, n.oid, 'usage')) as roles
  from pg_proc p
  join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = 'public' and p.prokind = 'f' and p.prorettype <> all (array['trigger', 'event_trigger']::regtype[])
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  order by p.proname collate "C", p.oid`;

const TYPES = `
  select t.oid::int as oid, t.typname::text as name, t.typtype::text as kind, t.typelem::int as element, t.typcategory = 'A' as is_array, t.typbasetype::int as base,
    array(select e.enumlabel::text from pg_enum e where e.enumtypid = t.oid order by e.enumsortorder) as labels,
    (select json_agg(json_build_object('name', a.attname, 'type', a.atttypid::int, 'is_null', not a.attnotnull) order by a.attnum)
     from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped) as columns
  from pg_type t`;

const PLAIN = {
  bool: "boolean", int2: "number", int4: "number", int8: "number", float4: "number", float8: "number", numeric: "number", json: "Json", jsonb: "Json", void: "null",
  record: "Json",
};

/** The text of the file. `query` runs one statement on the database and gives its rows. */
export async function rpcTypes(query) {
  const types = new Map((await query(TYPES)).map((type) => [type.oid, type]));
  const callable = (await query(CALLABLE)).filter(({ roles }) => roles.length > 0);
  const twice = callable.map(({ name }) => name).filter((name, at, all) => all.indexOf(name) !== at);
  if (twice.length > 0) throw new Error(`PostgREST cannot choose between functions of one name: ${twice.join(", ")}`);
  return `${HEADING}export interface Rpcs {\n${callable.map((one) => entry(one, types)).join("")}}

/** The name of a function. */
export type RpcName = keyof Rpcs;
/** What a function is given. */
export type RpcArguments<N extends RpcName> = Rpcs[N]["args"];
/** What a function answers. */
export type RpcAnswer<N extends RpcName> = Rpcs[N]["result"];
`;
}

function entry({ name, comment, roles, names, modes, types: all, required, returns, returns_set }, types) {
  const given = [], columns = [];
  for (const [at, type] of all.entries()) {
    const [mode, argument] = [modes?.[at] ?? "i", names?.[at] ?? ""];
    if (["i", "b", "v"].includes(mode)) given.push({ name: argument, type, isOptional: given.length >= required || mode === "v" });
    if (["o", "b", "t"].includes(mode)) columns.push({ name: argument, type, is_null: true });
  }
  const listed = given.map(({ name, type, isOptional }) => (isOptional ? `${key(name)}?: ${typed(type, types)} | null` : `${key(name)}: ${typed(type, types)}`));
  const one = columns.length > 1 || modes?.includes("t") ? row(columns, types) : typed(columns[0]?.type ?? returns, types);
  const docs = [...(comment ?? "").split("\n"), `For ${roles.join(", ")}.`].map((line) => line.trim()).filter(Boolean).join(" ").replaceAll("*/", "* /");
  return `  /** ${docs} */
  ${key(name)}: {
    args: ${listed.length === 0 ? "Record<string, never>" : `{ ${listed.join("; ")} }`};
    result: ${returns_set ? many(one) : one};
  };
`;
}

const key = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));
const many = (type) => (/[|]/.test(type) && !type.startsWith("{") ? `(${type})[]` : `${type}[]`);
const row = (columns, types) => `{ ${columns.map(({ name, type, is_null }) => `${key(name)}: ${orNull(typed(type, types), is_null)}`).join("; ")} }`;
const orNull = (type, isNull) => (isNull && type !== "Json" ? `${type} | null` : type);

/** A type of Postgres as JSON carries it. What is not known here arrives as text. */
function typed(oid, types) {
  const type = types.get(oid);
  if (type.is_array && type.element !== 0) return many(typed(type.element, types));
  if (type.kind === "d") return typed(type.base, types);
  if (type.kind === "e") return type.labels.map((label) => JSON.stringify(label)).join(" | ");
  if (type.kind === "c") return row(type.columns ?? [], types);
  return PLAIN[type.name] ?? "string";
}
