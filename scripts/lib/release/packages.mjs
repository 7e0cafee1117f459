// The npm packages of a release. Each is put together in a folder of its own and packed by npm.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { root } from "../../../sdk/local/stack/paths.mjs";
import { readFunctions, workersOf } from "../../../sdk/local/stack/wrangler.mjs";
import { PLATFORMS, thisPlatform, version } from "./versions.mjs";

/** The command. npm installs the native binary that fits, and leaves the others out. */
export function packMain({ out, work }) {
  const manifest = manifestOf("sdk/typescript");
  manifest.optionalDependencies = Object.fromEntries(PLATFORMS.map((platform) => [`@gristmill/${platform}`, version]));
  return pack({ name: "gristmill", manifest, from: "sdk/typescript", out, work });
}

/** The local stack, with the functions that it serves. */
export function packLocal({ functions, out, work }) {
  const folder = path.join(work, "local");
  for (const { name } of workersOf(readFunctions().functions)) {
    for (const file of ["index.js", "index_bg.wasm", "deno.js"]) {
      const from = path.join(functions, name, file);
      if (!fs.existsSync(from)) throw new Error(`the function ${name} is not built: there is no ${from}`);
      copy(from, path.join(folder, "functions", name, file));
    }
  }
  copy(path.join(root, "wrangler.toml"), path.join(folder, "wrangler.toml"));
  return pack({ name: "local", manifest: manifestOf("sdk/local"), from: "sdk/local", out, work });
}

/** The native binary of this platform. */
export function packPlatform({ binary, out, work }) {
  const [os, cpu] = thisPlatform.split("-");
  const manifest = {
    name: `@gristmill/${thisPlatform}`, version, license: "MIT",
    description: `The native binary of gristmill for ${thisPlatform}`,
    os: [os], cpu: [cpu], ...(os === "linux" && { libc: ["glibc"] }), files: ["bin"],
  };
  copy(binary, path.join(work, thisPlatform, "bin/gristmill"));
  fs.chmodSync(path.join(work, thisPlatform, "bin/gristmill"), 0o755);
  return pack({ name: thisPlatform, manifest, out, work });
}

const manifestOf = (folder) => JSON.parse(fs.readFileSync(path.join(root, folder, "package.json"), "utf8"));

function pack({ name, manifest, from, out, work }) {
  const folder = path.join(work, name);
  if (manifest.scripts?.build) execFileSync("npm", ["run", "--silent", "build"], { cwd: path.join(root, from), stdio: ["ignore", "ignore", "inherit"] });
  for (const file of from ? manifest.files.concat("README.md") : []) {
    const [source, target] = [path.join(root, from, file), path.join(folder, file)];
    if (fs.existsSync(source)) copy(source, target);
    else if (!fs.existsSync(target)) throw new Error(`${from}/package.json lists ${file} among its files, and there is none`);
  }
  copy(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
  fs.writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", out], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  return folder;
}

function copy(from, to) {
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.cpSync(from, to, { recursive: true });
}
