// What the console computes by itself: JSON that is read exactly, cron expressions in words, the term at the caret, groups that add up.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { cronInWords } from "../../console/src/lib/cron.js";
import { ago, duration, percent, shortId } from "../../console/src/lib/format.js";
import { checkJson, parseExactly, print } from "../../console/src/lib/json.js";

describe("JSON", () => {
  test("a number is kept as it was written, whatever its size", () => {
    for (const number of ["12345678901234567890", "0.1000", "1e400", "-0", "1E-7", "3.141592653589793238462643383279"]) {
      assert.equal(print(parseExactly(`{"n":${number}}`)), `{\n  "n": ${number}\n}`);
    }
  });

  test("what JSON.parse reads is read alike, and what it refuses is refused", () => {
    for (const text of ['{"a":[1,{"b":null}],"c":"\\u00e9\\n\\"","":true}', "[]", "{}", '"x"', " [ 1 , 2 ] ", "false"]) {
      assert.deepEqual(JSON.parse(print(parseExactly(text))), JSON.parse(text));
    }
    for (const text of ["", "{", "[1,]", '{"a":1,}', "01", "1.", "+1", ".5", "NaN", "'a'", '{"a" 1}', '"\n"', '"\\x"', "1 2", "tru", "[1}"]) {
      assert.throws(() => parseExactly(text), SyntaxError, text);
    }
  });

  test("a text of a stranger cannot make it recurse or grow without end", () => {
    assert.throws(() => parseExactly("[".repeat(100_000)), /Nested too deeply/);
    assert.throws(() => parseExactly(`[${"0,".repeat(100_001)}0]`), /Too many values/);
  });

  test("an edited payload that is no object is refused with the reason", () => {
    assert.match(checkJson("[1]", { object: true }).error, /object/);
    assert.match(checkJson("{}", { object: true }).error, /at least one field/);
    assert.match(checkJson('{"a":}', { object: true }).error, /character 6/);
    assert.equal(checkJson('{"a":9007199254740993}', { object: true }).text, '{\n  "a": 9007199254740993\n}');
  });
});

test("a cron expression is said in words", () => {
  const said = {
    "* * * * *": "Every minute", "*/5 * * * *": "Every 5 minutes", "0 * * * *": "Every hour, on the hour", "17 * * * *": "Every hour, at minute 17",
    "30 2 * * *": "At 02:30", "0 9 * * 1-5": "At 09:00 from Monday to Friday", "0 9 * * mon-fri": "At 09:00 from Monday to Friday", "0 0 1 * *": "At 00:00 on the 1st of the month",
    "0 8,20 * * *": "At 08:00 and 20:00", "0 */6 * * *": "Every 6 hours, on the hour", "15 3 * * 0": "At 03:15 on Sunday", "0 12 25 12 *": "At 12:00 on the 25th of the month in December",
    "0 0 13 * 5": "At 00:00 on the 13th of the month and on Friday", "@daily": "At 00:00", "10 seconds": "Every 10 seconds",
  };
  for (const [expression, words] of Object.entries(said)) assert.equal(cronInWords(expression), words, expression);
});

test("an expression that is none has no words", () => {
  for (const expression of ["", "* * * *", "a b c d e", "<img src=x onerror=alert(1)>", "* ".repeat(200), "1;2 * * * *", null, undefined]) assert.equal(cronInWords(expression), "");
});

test("times, shares and ids are short and never say more than is known", () => {
  const now = Date.parse("2026-11-18T12:00:00Z");
  assert.equal(ago("2026-11-18T11:59:00Z", now), "1 min ago");
  assert.equal(ago("2026-11-20T12:00:00Z", now), "in 2 d");
  assert.equal(ago("2026-11-18T12:00:01Z", now), "now");
  assert.deepEqual([840, 3200, 245_000, 7_380_000].map(duration), ["840 ms", "3.2 s", "4 min 5 s", "2 h 3 min"]);
  assert.equal(percent(0.0004), "<0.1%");
  assert.equal(percent(null), "–");
  assert.equal(shortId("01a1e273-88a8-7a97-9476-25074e8fc71c"), "01a1e273…c71c");
});
