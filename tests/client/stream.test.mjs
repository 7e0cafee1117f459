// Server-sent events as gristmill/client reads them: whole, whatever pieces they come in.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Parser } from "../../sdk/typescript/dist/client/stream.js";

const STREAM = 'retry: 1000\n: connected\n\nid: 7\nevent: progress\ndata: {"a": 1,\ndata:  "b": "ü\\n"}\n\n: keep-alive\n\ndata:[2]\nid: 8\n\nevent: lost\n\nevent: last\ndata: null\n\n';
const EVENTS = [{ id: "7", event: "progress", data: { a: 1, b: "ü\n" } }, { id: "8", event: "message", data: [2] }, { id: "8", event: "last", data: null }];

test("events arrive whole in pieces of any size and with each of the three line ends", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const text = STREAM.replaceAll("\n", end);
    for (const size of [1, 2, 3, 7, text.length]) {
      const parser = new Parser();
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
      // The last line's end may be half of one until the next comes.
      const events = [...pieces, "\n"].flatMap((piece) => [...parser.take(piece)]);
      assert.deepEqual(events, EVENTS, `pieces of ${size}, ends ${JSON.stringify(end)}`);
    }
  }
});

test("an event that was not ended is not told", () => {
  const parser = new Parser();
  assert.deepEqual([...parser.take('id: 1\ndata: {"half": true}\n')], []);
  assert.deepEqual([...parser.take("\n")].length, 1);
});
