// Takes SQL apart into code and string literals, and drops what nobody runs: comments.
//
// The body of a function is code, although it is quoted by dollars: it is read like the text around it. So is the text of dynamic SQL,
// but as a literal, because a name may stand in it alone.

const COMMENT = /--[^\n]*|\/\*[\s\S]*?\*\//y;
const LITERAL = /[eE]'(?:[^'\\]|''|\\[\s\S])*'|'(?:[^']|'')*'/y;
const QUOTED_NAME = /"(?:[^"]|"")*"/y;
const WORD = /[A-Za-z_]\w*/y;

const take = (pattern, text, at) => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
};

/**
 * @returns {{kind: "code"|"literal", text: string, line: number}[]} in their order. The literal of COMMENT ON is prose, and is dropped too.
 */
export function lex(text) {
  const pieces = [];
  let code = "";
  let began = 0; // where the piece of code began
  let statement = ""; // the code since the last semicolon, to recognise COMMENT ON
  let [line, counted] = [1, 0];
  const lineAt = (at) => {
    for (; counted < at; counted++) if (text[counted] === "\n") line += 1;
    return line;
  };
  const endCode = () => {
    if (code.trim() !== "") pieces.push({ kind: "code", text: code, line: lineAt(began) });
    code = "";
  };
  for (let at = 0; at < text.length;) {
    const comment = take(COMMENT, text, at);
    if (comment) {
      if (code === "") began = at + comment.length;
      else code += comment.replace(/[^\n]/g, " ");
      at += comment.length;
      continue;
    }
    const literal = take(LITERAL, text, at);
    if (literal) {
      endCode();
      if (!/^\s*comment\s+on\b[\s\S]*\bis\s*$/i.test(statement)) {
        pieces.push({ kind: "literal", text: literal.replace(/^[eE]?'|'$/g, "").replaceAll("''", "'"), line: lineAt(at) });
      }
      statement += "''";
      at += literal.length;
      began = at;
      continue;
    }
    const whole = take(QUOTED_NAME, text, at) ?? take(WORD, text, at) ?? text[at];
    code += whole;
    statement = whole === ";" ? "" : statement + whole;
    at += whole.length;
  }
  endCode();
  return pieces;
}
