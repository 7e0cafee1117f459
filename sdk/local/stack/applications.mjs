// Which applications a stack has and in which schemas: what `gristmill migrate`, the gateway, the functions and the worker are told.
const ALL = ["documents", "refresh", "exports", "workflows", "compat"];

/**
 * The arguments of each `gristmill migrate` that installs them. One command adds all that go into one schema.
 * @param {"all"|"none"|string[]} applications
 * @param {Record<string, string>} schemas  by application; those not named are in public
 */
export function migrations(applications, schemas) {
  for (const name of Object.keys(schemas)) {
    if (!chosen(applications).includes(name)) throw new Error(`a schema is named for ${name}, which the stack does not install`);
  }
  const bySchema = new Map();
  for (const name of chosen(applications)) {
    const schema = schemas[name] ?? "public";
    bySchema.set(schema, [...(bySchema.get(schema) ?? []), name]);
  }
  if (applications === "all" && Object.keys(schemas).length === 0) return [["--with", "all"]];
  if (bySchema.size === 0) return [[]];
  return [...bySchema].map(([schema, names]) =>
    ["--with", names.join(","), ...(schema === "public" ? [] : ["--schema", schema])]);
}

/** What the gateway exposes; the first is for requests that name no profile. */
export const exposed = (schemas) => [...new Set(["public", ...Object.values(schemas)])];

/** The variables by which functions, worker and storage find them. */
export const variables = (schemas) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [`${name.toUpperCase()}_SCHEMA`, schema]));

const chosen = (applications) => ({ all: ALL, none: [] })[applications] ?? applications;
