// Runs one suite and prints its figures: a table for people, or one JSON object a line.
import { Stack } from "../../../sdk/local/stack/stack.mjs";
import { progress } from "./progress.mjs";

const words = process.argv.slice(2);
const asJson = words.includes("--json");
const full = words.includes("--full");
const suite = words.find((word) => !word.startsWith("--"));
const { default: measure, parts = [], batches = [], servers = [], takesBase = false } = await import(`./${suite}.suite.mjs`);
const base = words.find((word) => word.startsWith("--base="))?.slice("--base=".length) ?? null;
if (base !== null && !takesBase) {
  console.error(`error: ${suite} compares with no earlier commit; before does`);
  process.exit(2);
}
const chosen = { full, only: choose("only", parts), batch: choose("batch", batches), postgres: choose("postgres", servers), base };

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    await Promise.allSettled([...Stack.running].map((stack) => stack.destroy()));
    process.exit(130);
  });
}

// A suite yields figures as it gets them, {metric, value, unit, peer?, ratio?}, notes, {note}, and where it has limits of its own
// {failure}: a sentence, after which the bench exits with 1.
const rows = [];
const notes = [];
try {
  for await (const figure of measure({ progress, ...chosen })) {
    if (figure.note) notes.push(figure.note);
    else if (figure.failure) {
      notes.push(figure.failure);
      process.exitCode = 1;
    } else report({ suite, peer: null, ratio: null, ...figure });
  }
} finally {
  // What was measured before something failed is shown as well.
  progress("");
  if (!asJson) printTable(rows);
  for (const note of notes) (asJson ? console.error : console.log)(`  ${note}`);
}

// Null where nothing was chosen.
function choose(name, choices) {
  const options = choices.map((choice) => `--${name}=${choice}`);
  const word = words.find((word) => word.startsWith(`--${name}=`));
  if (word !== undefined && !options.includes(word)) {
    console.error(`error: ${suite} has no ${word}${options.length > 0 ? `; it has ${options.join(", ")}` : ""}`);
    process.exit(2);
  }
  return choices[options.indexOf(word)] ?? null;
}

function report(row) {
  rows.push(row);
  const { metric, value, unit, peer, ratio } = row;
  if (asJson) console.log(JSON.stringify({ suite, metric, value: round(value), unit, peer, ratio: round(ratio) }));
}

function printTable(rows) {
  const cells = rows.map(({ metric, value, unit, peer, ratio }) =>
    [metric, String(round(value)), unit, peer ?? "", ratio === null ? "" : `${round(ratio)}x`]);
  const table = [["metric", "value", "unit", "beside", "ratio"], ...cells];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table) {
    console.log(`  ${row.map((cell, column) => (column === 1 || column === 4 ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))).join("  ")}`.trimEnd());
  }
}

function round(value) {
  return typeof value === "number" ? Number(value.toPrecision(4)) : value;
}
