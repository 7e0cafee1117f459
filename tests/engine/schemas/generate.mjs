// Schemas and values made from a seed: every keyword that docs/protocol.md names comes up, and about as many values fit as do not.

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const NAMES = ["a", "b", "to", "x-1", "ключ", "a/b", "c~d", ""];
const TEXTS = ["", "a", "ab", "hello", "é", "😀😀", "a b", "A1", "line\nbreak", "0123456789", "no way", "\u00a0", "-", "a.b", "x\\y", "Ünï"];
const PATTERNS = ["^a", "b$", "^[a-z]+$", "\\d{2,3}", "^\\w+$", "^\\W*$", "\\s", "^\\S+$", ".", "^.{2}$", "[^a-z]", "^(?:a|hello)$", "(x|y)?b", "^[\\w.-]+$", "\\u00e9", "^\\u{1F600}+$", "^(?=.*\\d)[A-Z]", "^(?!no)", "a+?b*?", "^[\\]\\-\\\\x]", "^$", "[\\s\\d]", "\\x41|\\/|\\.", "^[^\\n]*$", "(?:)", "a|"];
const FORMATTED = {
  "date-time": ["2030-01-01T00:00:00Z", "2030-02-30T00:00:00Z", "2030-01-01 10:00:00+01:00", "2030-01-01T24:00:00Z", "2016-12-31T23:59:60Z", "2016-12-31T22:59:60Z", "2016-12-31T22:59:60-01:00", "2030-01-01T00:00:00", "2030-01-01T00:00:00.123z", "2030-01-01t00:00:00+0130", "2030-01-01T00:00:00+24:00", "2030-01-01T00:00:00Z ", "x"],
  date: ["2030-01-01", "2028-02-29", "2030-02-29", "2100-02-29", "2000-02-29", "2030-13-01", "2030-04-31", "2030-1-1", "2030-00-10", "2030-01-00", "02030-01-01"],
  uuid: ["01a1e273-88a8-7a97-9476-25074e8fc71c", "01A1E273-88A8-7A97-9476-25074E8FC71C", "urn:uuid:01a1e273-88a8-7a97-9476-25074e8fc71c", "01a1e27388a87a97947625074e8fc71c", "01a1e273-88a8-7a97-9476-25074e8fc71", "g1a1e273-88a8-7a97-9476-25074e8fc71c", ""],
  email: ["a@b.co", "a.b+c@d-e.example", "a@b", "a@b.", ".a@b.co", "a..b@c.de", "a b@c.de", "@c.de", "o'neil@example.com", "a@-b.co", "K@example.com", "ä@b.co"],
  uri: ["https://example.com/a?b=c#d", "mailto:a@b.co", "urn:a:b", "a/b", "//example.com/x", "http://", "http://exa mple.com", "http://[::1]:80/", "ftp://u:p@h:21/p;x", "http://a/%zz", "http://a/%20", "a:", "1a:b", "http://a/b{c}", "x:/", "http://a?b?c/d", "http://ä.de", "a:b#c#d"],
  hostname: ["anything", "-", ""],
};
const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];

export function generator(random) {
  const chance = (share) => random() < share;
  const below = (count) => Math.floor(random() * count);
  const one = (list) => list[below(list.length)];
  const some = (list, most) => list.filter(() => chance(0.4)).slice(0, most);

  function value(depth) {
    switch (depth > 0 ? below(7) : below(5)) {
      case 0: return one(TEXTS);
      case 1: return one([0, 1, -1, 2, 3, 5, 10, 1.5, -2.5, 100, 0.5]);
      case 2: return chance(0.5);
      case 3: return null;
      case 4: return one(Object.values(FORMATTED).flat());
      case 5: return Array.from({ length: below(4) }, () => value(depth - 1));
      default: return Object.fromEntries(some(NAMES, 4).map((name) => [name, value(depth - 1)]));
    }
  }

  const optional = (schema, entries) => {
    for (const [keyword, make] of Object.entries(entries)) if (chance(0.15)) schema[keyword] = make();
    return schema;
  };

  const forType = {
    string: () => optional({}, { minLength: () => below(4), maxLength: () => below(8), pattern: () => one(PATTERNS), format: () => one(Object.keys(FORMATTED)) }),
    number: () => optional({}, { minimum: () => below(6) - 3, maximum: () => below(8), exclusiveMinimum: () => below(6) - 4, exclusiveMaximum: () => below(12), multipleOf: () => one([1, 2, 0.5, 5]) }),
    array: (depth) => optional({}, {
      items: () => schema(depth - 1), prefixItems: () => [schema(depth - 1), schema(depth - 1)].slice(0, 1 + below(2)), minItems: () => below(3), maxItems: () => below(5),
      uniqueItems: () => chance(0.7), contains: () => schema(depth - 1), minContains: () => below(3), maxContains: () => below(3),
    }),
    object: (depth) => optional({ properties: Object.fromEntries(some(NAMES, 4).map((name) => [name, schema(depth - 1)])) }, {
      required: () => some(NAMES, 2), additionalProperties: () => schema(depth - 1), patternProperties: () => ({ [one(PATTERNS)]: schema(depth - 1) }),
      propertyNames: () => (chance(0.5) ? { maxLength: 2 } : { pattern: one(PATTERNS) }), minProperties: () => below(3), maxProperties: () => below(5),
      dependentRequired: () => ({ [one(NAMES)]: some(NAMES, 2) }),
    }),
  };

  function schema(depth) {
    if (depth <= 0 || chance(0.08)) return chance(0.8) ? simple() : chance(0.8);
    const type = one(TYPES);
    const made = { ...(chance(0.85) && { type: chance(0.2) ? [...new Set([type, one(TYPES)])] : type }), ...forType[type === "integer" ? "number" : type]?.(depth) };
    if (chance(0.05)) made.enum = [value(1), value(1), value(0)];
    if (chance(0.04)) made.const = value(1);
    if (chance(0.05)) made.allOf = [schema(depth - 1)];
    if (chance(0.06)) made.anyOf = [schema(depth - 1), schema(depth - 1)];
    if (chance(0.05)) made.oneOf = [schema(depth - 1), schema(depth - 1)];
    if (chance(0.05)) made.not = schema(depth - 1);
    if (chance(0.06)) Object.assign(made, { if: schema(depth - 1) }, chance(0.7) && { then: schema(depth - 1) }, chance(0.7) && { else: schema(depth - 1) });
    if (chance(0.04)) made.$ref = one(["#/$defs/one", "#/$defs/t~1w~0o"]);
    if (chance(0.1)) Object.assign(made, { title: "a title", description: "says nothing", default: 1, examples: [1], deprecated: true });
    return made;
  }
  const simple = () => (chance(0.5) ? { type: one(TYPES) } : forType[one(["string", "number"])](0));

  /** A value that fits a schema more often than one made at random. */
  function fitting(schema, depth) {
    if (typeof schema !== "object" || chance(0.03) || depth < 0) return value(depth);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return one(schema.enum);
    const below_ = schema.anyOf ?? schema.oneOf ?? schema.allOf;
    switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
      case "string": return schema.format ? one(FORMATTED[schema.format].slice(0, chance(0.5) ? 2 : undefined)) : one(TEXTS);
      case "integer": return one([0, 1, 2, 4, 5, 10, -2]);
      case "number": return one([0, 1, 2.5, 5, -1.5, 10]);
      case "boolean": return chance(0.5);
      case "null": return null;
      case "array": {
        const length = Math.max(schema.minItems ?? 0, below(4));
        return Array.from({ length }, (_, at) => fitting(schema.prefixItems?.[at] ?? schema.items ?? schema.contains ?? true, depth - 1));
      }
      case "object": {
        const names = new Set([...(schema.required ?? []), ...Object.keys(schema.properties ?? {}).filter(() => chance(0.7)), ...(chance(0.3) ? [one(NAMES)] : [])]);
        return Object.fromEntries([...names].map((name) => [name, fitting(schema.properties?.[name] ?? schema.additionalProperties ?? true, depth - 1)]));
      }
      default: return below_ ? fitting(one(below_), depth) : value(depth);
    }
  }

  return {
    /** A schema with several values. */
    family(size) {
      const made = { $defs: { one: simple(), "t/w~o": { type: ["string", "object"], minLength: 1 } }, ...forType.object(2), type: "object" };
      for (const keyword of ["allOf", "anyOf", "oneOf"]) if (chance(0.05)) made[keyword] = [schema(2), schema(2)];
      return Array.from({ length: size }, () => ({ schema: made, value: chance(0.95) ? fitting(made, 4) : value(3) }));
    },
  };
}
