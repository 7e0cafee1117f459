// Example 7 in a folder of its own: an approval that waits for days, with a clock that is moved.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { copyOf, npm, remove } from "./folder.mjs";

let folder;
before(async () => {
  folder = await copyOf("7-approval");
});
after(() => remove(folder));

test("the approval that waits for days passes its own tests in a folder of its own", async () => {
  assert.match(await npm(folder, "test"), /^# pass 5$/m);
});
