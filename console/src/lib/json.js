// A reader of JSON that keeps every number as it was written: 12345678901234567890 stays that, where JSON.parse rounds it.
// Bounded in depth and in the count of values, because payloads are written by strangers.

/**
 * @typedef {{type: "object", entries: [string, Node][]} | {type: "array", items: Node[]} | {type: "number", text: string}
 *   | {type: "string", value: string} | {type: "word", text: "true" | "false" | "null"}} Node
 */

const MOST_DEPTH = 200;
const MOST_VALUES = 100_000;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;

/** @param {string} text @returns {Node} */
export function parseExactly(text) {
  let at = 0;
  let values = 0;
  const fail = (what) => {
    throw new SyntaxError(`${what} at character ${at + 1}`);
  };
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const skip = () => void take(SPACE);
  const string = () => {
    const found = take(STRING);
    return found === undefined ? fail("A text is expected") : JSON.parse(found);
  };
  /** @returns {Node} */
  const value = (depth) => {
    if (depth > MOST_DEPTH) fail("Nested too deeply");
    if (++values > MOST_VALUES) fail("Too many values");
    skip();
    const first = text[at];
    if (first === '"') return { type: "string", value: string() };
    if (first === "{") {
      at++;
      const entries = /** @type {[string, Node][]} */ ([]);
      members("}", () => {
        skip();
        const key = string();
        skip();
        if (text[at++] !== ":") fail("A colon is expected");
        entries.push([key, value(depth + 1)]);
      });
      return { type: "object", entries };
    }
    if (first === "[") {
      at++;
      const items = /** @type {Node[]} */ ([]);
      members("]", () => items.push(value(depth + 1)));
      return { type: "array", items };
    }
    const word = take(WORD);
    if (word) return { type: "word", text: /** @type {"true"} */ (word) };
    const number = take(NUMBER);
    return number === undefined ? fail("A value is expected") : { type: "number", text: number };
  };
  const members = (close, member) => {
    skip();
    if (text[at] === close) return void at++;
    for (;;) {
      member();
      skip();
      const next = text[at++];
      if (next === close) return;
      if (next !== ",") fail(`A comma or ${close} is expected`);
    }
  };
  const whole = value(0);
  skip();
  if (at < text.length) fail("Nothing more is expected");
  return whole;
}

/** The same JSON, laid out in lines. Numbers stay as they were written. @param {Node} node */
export function print(node, indent = "") {
  const inner = `${indent}  `;
  switch (node.type) {
    case "object":
      if (!node.entries.length) return "{}";
      return `{\n${node.entries.map(([key, value]) => `${inner}${JSON.stringify(key)}: ${print(value, inner)}`).join(",\n")}\n${indent}}`;
    case "array":
      if (!node.items.length) return "[]";
      return `[\n${node.items.map((item) => inner + print(item, inner)).join(",\n")}\n${indent}]`;
    case "string":
      return JSON.stringify(node.value);
    default:
      return node.text;
  }
}

/** What was typed into a JSON field: {text} for the database, exact, or {error}. */
export function checkJson(text, { object = false } = {}) {
  try {
    const node = parseExactly(text);
    if (object && node.type !== "object") return { error: "A payload is an object: {…}." };
    if (object && node.type === "object" && node.entries.length === 0) return { error: "A payload has at least one field." };
    return { text: print(node) };
  } catch (error) {
    return { error: `This is no JSON: ${error.message}.` };
  }
}
