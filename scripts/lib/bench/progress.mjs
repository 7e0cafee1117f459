// What a bench is doing, on standard error: one line that is written over on a terminal.
let last = "";

export function progress(text) {
  if (text === last) return;
  last = text;
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else if (text) process.stderr.write(`${text}\n`);
}

/** p50, p99 and so on of a list of numbers. */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
