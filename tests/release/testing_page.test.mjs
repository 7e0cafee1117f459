// docs/testing.md from the release files alone: its command and its first example, in an empty folder.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { emptyFolder } from "../project/harness.mjs";
import { blocksOf, makeRelease, User } from "./user.mjs";

let folder, user;
before(async () => {
  folder = emptyFolder();
  user = new User(path.join(folder, "testing"), { release: await makeRelease(folder) });
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

const write = (name, text) => {
  fs.mkdirSync(path.dirname(path.join(user.cwd, name)), { recursive: true });
  fs.writeFileSync(path.join(user.cwd, name), text);
};

test("the command of docs/testing.md installs what its first example needs, and the example passes", async () => {
  const [install] = blocksOf("docs/testing.md").filter(({ language }) => language === "sh");
  const [example] = blocksOf("docs/testing.md").filter(({ language }) => language === "ts");
  write("package.json", JSON.stringify({ name: "mails", private: true, type: "module" }));
  await user.shell('npm install "$RELEASE"/gristmill-[0-9]*.tgz');
  await user.shell(install.text);
  write("src/jobs.js", `import { defineJob, handle } from "gristmill";
export const sendEmail = defineJob("send_email").payload();
let isDown = true;
export const handlers = [handle(sendEmail, () => {
  if (!isDown) return { sent: true };
  isDown = false;
  throw new Error("the mail server is down");
})];
`);
  write("tests/mail.test.js", example.text);
  const said = await user.shell("node --test --test-reporter=tap tests/");
  assert.match(said, /^# pass 1$/m);
});
