// The mutants of the functions behind the contracts: what each is called, and the SQL that installs it.
import { places } from "./operators.mjs";

const ROLES = ["public", "anon", "authenticated"];
const FUNCTION = `
  select p.oid::regprocedure::text as signature, p.oid::regproc::text as name, n.nspname || '.' || p.proname as qualified, pg_get_functiondef(p.oid) as source, p.prokind,
    pg_get_function_arguments(p.oid) as arguments, p.pronargs - p.pronargdefaults as required, p.proargnames as names, p.prosecdef, p.proconfig
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname || '.' || p.proname = any ($1) order by 1`;

/** @returns {Promise<{id: string, routine: string, operator: string, sql: string}[]>} */
export async function mutantsOf(client, functions) {
  const { rows } = await client.query(FUNCTION, [functions]);
  const missing = functions.filter((name) => !rows.some(({ qualified }) => qualified === name));
  if (missing.length > 0) throw new Error(`contracts.json names functions that do not exist: ${missing.join(", ")}`);
  const { rows: granted } = await client.query(`
    select p.oid::regprocedure::text as signature, r.role from pg_proc p cross join unnest($1::text[]) r(role)
    where p.prokind in ('f', 'p') and has_function_privilege(r.role, p.oid, 'execute')`, [ROLES]);
  const found = rows.flatMap((routine) => [...ofBody(routine), ...ofHeader(routine, (role) => granted.some((one) => one.signature === routine.signature && one.role === role))]);
  return numbered(found);
}

function ofBody({ qualified, source }) {
  const begin = /\bAS \$(function|procedure)\$|\n(?=\s*RETURN )/.exec(source);
  const from = begin.index + begin[0].length;
  const to = begin[1] ? source.lastIndexOf(`$${begin[1]}$`) : source.length;
  const body = source.slice(from, to);
  return places(body).map((place) => ({
    id: `${qualified}: ${place.operator}: ${inContext(body, place)}`, routine: qualified, operator: place.operator,
    sql: source.slice(0, from) + body.slice(0, place.from) + place.text + body.slice(place.to) + source.slice(to),
  }));
}

const squeezed = (text) => text.replace(/--[^\n]*/g, "").replace(/\s+/g, " ");

function inContext(body, { from, to, text }) {
  const before = squeezed(body.slice(0, from)).slice(-45).replace(/^\S*\s/, "");
  return `${before}«${squeezed(body.slice(from, to))} → ${text.trim()}»${squeezed(body.slice(to, to + 60)).slice(0, 25).replace(/\s\S*$/, "")}`;
}

function ofHeader(routine, isGranted) {
  const { qualified, signature, prokind, proconfig } = routine;
  const kind = prokind === "p" ? "procedure" : "function";
  const mutant = (operator, what, sql) => ({ id: `${qualified}: ${operator}: ${what}`, routine: qualified, operator, sql });
  return [
    ...ROLES.filter((role) => !isGranted(role)).map((role) => mutant("grant widened", `execute to ${role}`, `grant execute on ${kind} ${signature} to ${role}`)),
    ...(proconfig ?? []).filter((setting) => setting.startsWith("lock_timeout")).map((setting) =>
      mutant("lock removed", setting, `alter ${kind} ${signature} reset lock_timeout`)),
    ...defaults(routine).map(({ name, sql }) => mutant("default added", name, sql)),
  ];
}

// A parameter with a default has only such after it. So the others behind it get one as well.
function defaults({ source, names, required, prokind }) {
  return Array.from({ length: required }, (_, at) => {
    let sql = source;
    for (const name of names.slice(at, required)) sql = sql.replace(new RegExp(`([(,] ?${name} [^,()]+?)(?=[,)])`), "$1 DEFAULT NULL");
    return { name: names[at], sql };
  }).filter(({ sql }) => sql !== source && prokind === "f");
}

// Two places may look alike: they are counted.
function numbered(found) {
  const seen = new Map();
  return found.map((mutant) => {
    const count = (seen.get(mutant.id) ?? 0) + 1;
    seen.set(mutant.id, count);
    return count === 1 ? mutant : { ...mutant, id: `${mutant.id} (${count})` };
  });
}
