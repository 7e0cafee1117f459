// Takes the body of a function in SQL or PL/pgSQL apart: words, operators and names, without comments and strings. A string in
// dollar quotes is a query that is executed: its inside is taken apart like the rest.
const TOKEN = /(?<gap>\s+|--[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>[eE]?'(?:[^']|'')*'|"(?:[^"]|"")*")|(?<format>%(?:\d+\$)?[IsL]\b)|(?<dollar>\$\w*\$)|(?<word>[A-Za-z_][\w$]*)|(?<number>\d+(?:\.\d+)?|\$\d+)|(?<operator>::|:=|=>|\.\.|[-+*/<>=~!@#%^&|?]+|[(),;.:[\]])/y;

// A block ends with a word that may end another block as well: each end closes what was opened last.
const OPENS = new Set(["begin", "if", "loop", "case"]);

/**
 * @returns {{kind: string, text: string, word: string, at: number, end: number, depth: number, block: string|undefined}[]}
 *   word: in lower case; depth: how many parentheses and blocks are open around it; block: the innermost of the blocks
 */
export function tokens(body) {
  const found = [];
  const open = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < body.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(body);
    if (match === null) throw new Error(`what is this: ${body.slice(at, at + 30)}`);
    const [kind, text] = Object.entries(match.groups).find(([, value]) => value !== undefined);
    if (kind === "gap") continue;
    const word = kind === "word" ? text.toLowerCase() : text;
    const before = found.at(-1)?.word;
    if (text === ")" || text === "]" || word === "end") open.pop();
    found.push({ kind, text, word, at, end: at + text.length, depth: open.length, block: open.findLast((one) => one !== "(") });
    if (text === "(" || text === "[") open.push("(");
    // "exists" and "end if" open nothing, and the begin of a block of functions is a word alone.
    if (kind === "word" && OPENS.has(word) && before !== "end") open.push(word);
  }
  return found;
}
