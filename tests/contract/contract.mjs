// The contract of the older systems, as data: one line per parameter, result column, grant, relation column and answer key.
//
//   clause  object  what  name  type  value
//
// what        object           name            type                 value
// parameter   an RPC           its name        its SQL type         its default as SQL, or - where the caller must give it
// returns     an RPC           -               the SQL type         set, or -
// result      an RPC           a result column its SQL type         -
// execute     an RPC           a role          -                    yes or no
// column      a relation       its name        its SQL type         its default, or - where the contract names none
// order       a relation       -               -                    first: the columns come first, in the order of the lines
// may         a relation       a role          -                    what it may do: select, insert, update, delete, comma between; or none
// key         an answer        a.b, a[].b      string, number, …    optional, or -
//
// Lines of one object stand together; parameters and columns stand in their order. A line that begins with # is a remark.
import assert from "node:assert/strict";
import fs from "node:fs";

const WORDS = ["parameter", "returns", "result", "execute", "column", "order", "may", "key"];

/** Every line of every file, with the file and line that it is from. */
export function readContract() {
  const folder = new URL(".", import.meta.url);
  const files = fs.readdirSync(folder).filter((file) => file.endsWith(".tsv")).sort();
  return files.flatMap((file) => fs.readFileSync(new URL(file, folder), "utf8").split("\n").flatMap((line, at) => {
    if (line === "" || line.startsWith("#")) return [];
    const place = `${file}:${at + 1}`;
    const fields = line.split("\t");
    assert.equal(fields.length, 6, `${place} has ${fields.length} fields, not 6`);
    const [clause, object, what, name, type, value] = fields;
    assert.match(clause, /^K\d+a?$/, place);
    assert.ok(WORDS.includes(what), `${place}: "${what}" is none of ${WORDS.join(", ")}`);
    return [{ clause, object, what, name, type, value, place }];
  }));
}

const typeOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

// The values at a path such as usage.pages.used or jobs[].jobId. A part that is missing gives undefined.
function at(value, path) {
  return path.split(".").reduce((values, part) => {
    const [, key, each] = /^([^[]*)(\[\])?$/.exec(part);
    const found = key === "" ? values : values.map((one) => (one === null || one === undefined ? undefined : one[key]));
    return each ? found.flatMap((list) => (Array.isArray(list) ? list : [])) : found;
  }, [value]);
}

/** Holds an answer to the lines of the contract for it. */
export function checkAnswer(object, answer) {
  const keys = readContract().filter((line) => line.what === "key" && line.object === object);
  assert.notEqual(keys.length, 0, `the contract has no answer "${object}"`);
  for (const { clause, name, type, value, place } of keys) {
    for (const found of at(answer, name)) {
      if (found === undefined && value === "optional") continue;
      assert.ok(type.split("|").includes(typeOf(found)), `${clause} (${place}): ${object} has ${name} of type ${typeOf(found)}, the contract says ${type}\n${JSON.stringify(answer)}`);
    }
  }
}
