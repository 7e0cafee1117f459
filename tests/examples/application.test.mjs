// Example 8 in a folder of its own: an application whose rows and jobs end together.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { copyOf, npm, remove } from "./folder.mjs";

let folder;
before(async () => {
  folder = await copyOf("8-application");
});
after(() => remove(folder));

test("the application on the engine passes its own tests in a folder of its own", async () => {
  assert.match(await npm(folder, "test"), /^# pass 5$/m);
});
