// How far a run of cargo is, read from the bar that cargo draws, and a guess of the time that is left.
//   node progress.mjs LOG SECONDS    prints it in words for a run that began SECONDS ago; scripts/lib/common.sh shows it
import fs from "node:fs";
import { fileURLToPath } from "node:url";

/** With these cargo draws its bar into a file too. */
export const drawn = { CARGO_TERM_PROGRESS_WHEN: "always", CARGO_TERM_PROGRESS_WIDTH: "100" };

// Cargo counts a build script as one more crate, and once more for its run.
const BAR = /Building \[[=> ]*\] (\d+)\/(\d+)/g;

/**
 * The newest state in what cargo has written.
 * @returns {{done: number, total: number, before: number}|null}  before: what was compiled earlier, by the first bar that was drawn
 */
export function readProgress(text) {
  const bars = [...text.matchAll(BAR)];
  if (bars.length === 0) return null;
  const [done, total] = bars.at(-1).slice(1).map(Number);
  // An earlier run of cargo in the same log had another total.
  const first = bars.find((bar) => Number(bar[2]) === total);
  return { done, total, before: Number(first[1]) };
}

/**
 * "213 of 318 crates, about 50 s left". The rest is guessed from the pace so far, so it is told only after a tenth of the work.
 * @param {{done: number, total: number, before: number}} progress
 * @param {number} seconds  since the run began
 */
export function inWords({ done, total, before }, seconds) {
  const made = done - before;
  const crates = `${done} of ${total} crates`;
  if (seconds < 5 || made < (total - before) / 10) return crates;
  if (done === total) return crates;
  return `${crates}, about ${roundly((seconds * (total - done)) / made)} left`;
}

// A guess with seconds in it would look like knowledge.
function roundly(seconds) {
  if (seconds <= 100) return `${Math.max(10, Math.ceil(seconds / 10) * 10)} s`;
  return `${Math.round(seconds / 60)} min`;
}

/** What is known of a run by its log; null where no bar was drawn yet. */
export function ofLog(file, seconds) {
  let text;
  try {
    text = fs.readFileSync(file, "utf8");
  } catch {
    return null; // not begun
  }
  const progress = readProgress(text);
  return progress && inWords(progress, seconds);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file, seconds] = process.argv.slice(2);
  console.log(ofLog(file, Number(seconds)) ?? `still at it, ${seconds} s`);
}
