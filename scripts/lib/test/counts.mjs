// How many tests passed and failed, read from what each kind of runner prints. A runner that printed no
// count has failed: nothing passes by saying nothing.
const sum = (text, pattern) => [...text.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);

const orFailed = (counts, code) => {
  const silent = counts.passed + counts.failed === 0;
  return code !== 0 || silent ? { ...counts, failed: Math.max(1, counts.failed) } : counts;
};

/** cargo test: "test result: ok. 12 passed; 0 failed; …" for each binary. */
export const readCargo = (text, code) =>
  orFailed({ passed: sum(text, /^test result: .*?(\d+) passed/gm), failed: sum(text, /^test result: .*? (\d+) failed/gm), skipped: 0 }, code);

/** node --test with the TAP reporter: "# pass 12" at the end. */
export const readNode = (text, code) =>
  orFailed({ passed: sum(text, /^# pass (\d+)/gm), failed: sum(text, /^# (?:fail|cancelled) (\d+)/gm), skipped: sum(text, /^# (?:skipped|todo) (\d+)/gm) }, code);

/** Our own runners: "12 passed, 0 failed, 1 skipped". */
export const readPlain = (text, code) =>
  orFailed({ passed: sum(text, /^(\d+) passed, /gm), failed: sum(text, /^\d+ passed, (\d+) failed/gm), skipped: sum(text, /(\d+) skipped$/gm) }, code);

/** A linter: one check, passed or failed. */
export const readCheck = (_text, code) => ({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 });

/** Lints that only warn, so that tests can run in spite of them: one is enough to fail. */
export const readLints = (text, code) => readCheck(text, code === 0 && !/^warning/m.test(text) ? 0 : 1);
