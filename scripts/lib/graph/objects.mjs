// Which objects a file of SQL creates, and which names it uses.
import { lex } from "./lex.mjs";

const NAME = String.raw`"?(\w+)"?\."?(\w+)"?`;
const CREATED = new RegExp(
  String.raw`\bcreate\s+(?:or\s+replace\s+)?(?:global\s+|local\s+|temp(?:orary)?\s+|unlogged\s+|materialized\s+|foreign\s+|constraint\s+|recursive\s+)*` +
  String.raw`(table|view|function|procedure|aggregate|type|domain|sequence)\s+(?:if\s+not\s+exists\s+)?${NAME}`, "gi");
// A trigger has no schema: it lies with its table. A trigger of a table that is named is enough to tell which one is meant.
const TRIGGER = /\bcreate\s+(?:or\s+replace\s+)?(?:constraint\s+)?trigger\s+(\w+)/gi;
const QUALIFIED = new RegExp(String.raw`(?<![\w.$])${NAME}`, "g");

/** @returns {{kind: string, name: string}[]} names with their schema; triggers without one */
export function created(text) {
  return lex(text).flatMap((piece) => [
    ...[...piece.text.matchAll(CREATED)].map(([, kind, schema, name]) => ({ kind: kind.toLowerCase(), name: `${schema}.${name}` })),
    ...[...piece.text.matchAll(TRIGGER)].map(([, name]) => ({ kind: "trigger", name })),
  ]);
}

/**
 * Every name that might be one of ours, with its line. `bare`: a literal that is nothing but a word, as in run_step('chain_audit').
 * @returns {{name: string, bare: boolean, line: number}[]}
 */
export function used(text) {
  return lex(text).flatMap((piece) => {
    const line = (at) => piece.line + piece.text.slice(0, at).split("\n").length - 1;
    const qualified = [...piece.text.matchAll(QUALIFIED)].map((match) => ({ name: `${match[1]}.${match[2]}`, bare: false, line: line(match.index) }));
    const triggers = [...piece.text.matchAll(/\btrigger\s+(?:if\s+exists\s+)?(\w+)/gi)].map((match) => ({ name: match[1], bare: true, line: line(match.index) }));
    const isWord = piece.kind === "literal" && /^[a-z_]\w*$/.test(piece.text);
    return [...qualified, ...triggers, ...(isWord ? [{ name: piece.text, bare: true, line: piece.line }] : [])];
  });
}
