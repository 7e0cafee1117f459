// Splits a file of SQL into statements, so that each is sent alone: a CALL that commits may not stand
// beside another statement. Knows strings, quoted names, dollar quotes and comments.
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|;/g;

export function statements(text) {
  const found = [];
  let start = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match[0] !== ";") continue;
    found.push(text.slice(start, match.index));
    start = match.index + 1;
  }
  found.push(text.slice(start));
  return found.filter((statement) => statement.replace(/--[^\n]*/g, "").trim() !== "");
}
