// A copy of an example in a folder of its own, with the packed library, as a user's repository would be. Nothing is downloaded: other packages are those of the checkout.
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { root } from "../../sdk/local/stack/paths.mjs";

const run = promisify(execFile);

/** Makes the copy; answers its folder. `remove` it afterwards. */
export async function copyOf(example) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-example-"));
  fs.cpSync(path.join(root, "examples", example), folder, { recursive: true, filter: (file) => !/[/\\](node_modules|dist|target)$/.test(file) });
  const manifest = path.join(folder, "package.json");
  if (fs.existsSync(manifest)) await install(folder, JSON.parse(fs.readFileSync(manifest, "utf8")));
  return folder;
}

export const remove = (folder) => folder && fs.rmSync(folder, { recursive: true, force: true });

async function install(folder, { dependencies = {}, devDependencies = {} }) {
  const modules = path.join(folder, "node_modules");
  fs.mkdirSync(path.join(modules, ".bin"), { recursive: true });
  const { stdout } = await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], { cwd: path.join(root, "sdk/typescript") });
  const tarball = path.join(folder, stdout.trim().split("\n").at(-1));
  await run("tar", ["--extract", "--file", tarball, "--directory", modules]);
  fs.renameSync(path.join(modules, "package"), path.join(modules, "gristmill"));
  fs.rmSync(tarball);
  for (const name of Object.keys({ ...dependencies, ...devDependencies }).filter((name) => name !== "gristmill")) {
    const from = path.join(root, "node_modules", name);
    if (!fs.existsSync(from)) throw new Error(`${name} is not in node_modules of the checkout`);
    fs.mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    fs.symlinkSync(fs.realpathSync(from), path.join(modules, name));
    const { bin = {} } = JSON.parse(fs.readFileSync(path.join(from, "package.json"), "utf8"));
    for (const [command, file] of Object.entries(typeof bin === "string" ? { [path.basename(name)]: bin } : bin)) {
      fs.symlinkSync(path.join(fs.realpathSync(from), file), path.join(modules, ".bin", command));
    }
  }
}

/** Runs `npm run SCRIPT` in the copy; throws with what it wrote. */
export async function npm(folder, script, env = {}) {
  // What this process was given by the test runner would make the tests of the copy children of this one.
  const { NODE_TEST_CONTEXT: _context, NODE_OPTIONS: _options, ...rest } = process.env;
  try {
    return (await run("npm", ["run", "--silent", script], { cwd: folder, env: { ...rest, ...env } })).stdout;
  } catch (error) {
    throw new Error(`npm run ${script} failed:\n${error.stdout}\n${error.stderr}`);
  }
}
