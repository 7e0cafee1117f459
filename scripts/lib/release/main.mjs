// ./scripts/release: the files of a release, and their checksums. Publishes nothing.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

import { root, targetDir } from "../../../sdk/local/stack/paths.mjs";
import { packLocal, packMain, packPlatform } from "./packages.mjs";
import { PLATFORMS, thisPlatform, version, whatDisagrees } from "./versions.mjs";

const USAGE = `usage: scripts/release [--out DIR] [--only platform] [--tag TAG] [--image [--stand-in]]
                       [--binary FILE] [--functions DIR] [--allow-dirty]

Makes the files that a release publishes: the npm packages gristmill, @gristmill/local and the one with the native
binary of this platform, the crates gristmill, gristmill-definitions and gristmill-macros, plain SQL, the WebAssembly functions, SBOMs,
SHA256SUMS. Publishes nothing.

  --out DIR         where to (default: build/release, which is emptied first; another folder must be empty)
  --only platform   only the package with the native binary and its SBOM: what each further platform adds
  --tag TAG         refuse unless TAG is v and the version
  --image           also the container image, as an archive that docker load and podman load read; needs docker or podman
  --stand-in        with --image, where no registry is reached: see scripts/lib/image.sh --help
  --binary FILE     take this native binary instead of compiling one
  --functions DIR   take the functions that are built there instead of compiling them
  --allow-dirty     do not mind changes that are not committed
  -h, --help        this text

Platforms of a release: ${PLATFORMS.join(", ")}. This is ${thisPlatform}.

exit codes: 0 done, 1 something failed, 2 the options make no sense`;

// The library for Rust, in the order in which they would be published.
const CRATES = ["gristmill-macros", "gristmill-definitions", "gristmill"];
// The crate of the binary.
const COMMAND = /^name = "(.*)"$/m.exec(fs.readFileSync(path.join(root, "command/Cargo.toml"), "utf8"))[1];

const begun = performance.now();
const colours = process.stdout.isTTY && !process.env.NO_COLOR;
const bold = (text) => (colours ? `\x1b[1m${text}\x1b[0m` : text);

class Refused extends Error {}

try {
  await main(read());
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = error.code ?? 1;
}

function read() {
  try {
    const { values } = parseArgs({ options: {
      out: { type: "string" }, only: { type: "string" }, tag: { type: "string" }, image: { type: "boolean" }, "stand-in": { type: "boolean" },
      binary: { type: "string" }, functions: { type: "string" }, "allow-dirty": { type: "boolean" }, help: { type: "boolean", short: "h" } } });
    if (values.only && values.only !== "platform") throw new Error(`--only takes: platform`);
    return values;
  } catch (error) {
    throw Object.assign(new Refused(`${error.message.split(". ")[0]}\n  see scripts/release --help`), { code: 2 });
  }
}

async function main(options) {
  if (options.help) return console.log(USAGE);
  check(options);
  const out = emptied(options.out);
  const { sbomOfCrates } = await import("./sbom.mjs"); // takes longer to load than a refusal to say
  const work = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-release-"));
  try {
    const binary = nativeBinary(options);
    step("packing", `@gristmill/${thisPlatform}`);
    packPlatform({ binary, out, work });
    sbomOfCrates({ file: path.join(out, `gristmill-${thisPlatform}-${version}.cdx.json`), name: `@gristmill/${thisPlatform}`, crates: [COMMAND] });
    if (options.only !== "platform") await rest({ options, binary, out, work });
    if (options.image) image({ options, binary, out });
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
  writeSums(out);
}

function check({ tag, "allow-dirty": mayBeDirty, binary, functions, image: wantsImage, "stand-in": standIn }) {
  const disagreements = whatDisagrees();
  if (disagreements.length > 0) throw new Refused(`versions disagree:\n  ${disagreements.join("\n  ")}`);
  if (tag && tag !== `v${version}`) throw new Refused(`the tag ${tag} is not v${version}\n  set the version in Cargo.toml and in both package.json files of sdk/, or make another tag`);
  if (standIn && !wantsImage) throw Object.assign(new Refused("--stand-in is for --image"), { code: 2 });
  for (const file of [binary, functions]) if (file && !fs.existsSync(file)) throw new Refused(`there is no ${file}`);
  if (!PLATFORMS.includes(thisPlatform)) throw new Refused(`there is no release for ${thisPlatform}\n  platforms: ${PLATFORMS.join(", ")}`);
  const changes = execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" }).trim();
  if (changes && !mayBeDirty) throw new Refused(`there are changes that are not committed:\n${changes.split("\n").slice(0, 10).map((line) => `  ${line}`).join("\n")}\n  commit them, or say --allow-dirty`);
}

function emptied(asked) {
  const folder = path.resolve(asked ?? path.join(root, "build/release"));
  if (!asked) fs.rmSync(folder, { recursive: true, force: true });
  else if (fs.existsSync(folder) && fs.readdirSync(folder).length > 0) throw new Refused(`${folder} is not empty\n  empty it, or give another folder to --out`);
  fs.mkdirSync(folder, { recursive: true });
  return folder;
}

function nativeBinary({ binary }) {
  if (!binary) {
    step("bundling", "the console, which the binary carries");
    run("scripts/lib/build-console.sh", []);
    step("compiling", "the native binary, profile release");
    // A fifth smaller without symbols (86 and 68 MB in profile quick), and a panic names its place without them.
    run("cargo", ["build", "--locked", "--release", "-p", COMMAND], { CARGO_PROFILE_RELEASE_STRIP: "symbols" });
  }
  const file = path.resolve(binary ?? path.join(targetDir, "release/gristmill"));
  const said = execFileSync(file, ["--version"], { encoding: "utf8" }).trim();
  if (said !== `gristmill ${version}`) throw new Refused(`${file} says "${said}", not "gristmill ${version}"`);
  if (!hasConsole(file)) throw new Refused(`${file} was compiled without the page of the console\n  run scripts/lib/build-console.sh, then compile it again`);
  return file;
}

function hasConsole(file) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-console-"));
  try {
    execFileSync(file, ["console", "--url", "http://127.0.0.1", "--write", folder], { stdio: "ignore" });
    return fs.existsSync(path.join(folder, "app.js"));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function rest({ options, binary, out, work }) {
  const { sbomOfCrates, sbomOfPackage } = await import("./sbom.mjs");
  if (!options.functions) {
    step("compiling", "the functions to WebAssembly, with wasm-opt");
    run("scripts/build", ["--deploy"]);
  }
  const functions = path.resolve(options.functions ?? path.join(root, "build/deploy"));
  step("compiling", "the TypeScript package, and the image of the engine for gristmill/testing");
  run("scripts/lib/build-sdk.sh", ["--image"], { GRISTMILL_BIN: binary });
  step("packing", "gristmill, @gristmill/local");
  packMain({ out, work });
  const local = packLocal({ functions, out, work });
  step("packing", CRATES.join(", "));
  packCrates({ out, work });
  step("writing", "SQL, functions, SBOMs");
  const sql = (...args) => execFileSync(binary, ["migrate", "--sql", ...args], { maxBuffer: 1 << 28 });
  fs.writeFileSync(path.join(out, `gristmill-${version}.sql`), sql());
  fs.writeFileSync(path.join(out, `gristmill-all-${version}.sql`), sql("--with", "all"));
  // The same files give the same archive.
  run("tar", ["--create", "--gzip", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=go=rX,u+rw,a-s",
    "--file", path.join(out, `gristmill-functions-${version}.tar.gz`), "--directory", path.join(local, "functions"), "."]);
  sbomOfCrates({ file: path.join(out, `gristmill-functions-${version}.cdx.json`), name: "gristmill-functions", target: "wasm32-unknown-unknown",
    crates: fs.readdirSync(path.join(root, "functions")).map((name) => `gristmill-fn-${name}`) });
  sbomOfPackage({ file: path.join(out, `gristmill-local-${version}.cdx.json`), folder: local });
}

// cargo publish compiles a crate from its package before it sends anything, and tests/release compiles both in a user's project.
function packCrates({ out, work }) {
  run("cargo", ["package", "--quiet", "--locked", "--no-verify", "--allow-dirty", "--target-dir", path.join(work, "crates"), ...CRATES.flatMap((name) => ["-p", name])]);
  for (const name of CRATES) fs.copyFileSync(path.join(work, `crates/package/${name}-${version}.crate`), path.join(out, `${name}-${version}.crate`));
}

function image({ options, binary, out }) {
  step("building", "the container image");
  run("scripts/lib/image.sh", ["--tag", `localhost/gristmill:${version}`, "--binary", binary, ...(options["stand-in"] ? ["--stand-in"] : []),
    "--save", path.join(out, `gristmill-image-${thisPlatform}-${version}.tar`)]);
}

function writeSums(out) {
  const files = fs.readdirSync(out).filter((file) => file !== "SHA256SUMS").sort();
  const sums = files.map((file) => `${createHash("sha256").update(fs.readFileSync(path.join(out, file))).digest("hex")}  ${file}\n`);
  fs.writeFileSync(path.join(out, "SHA256SUMS"), sums.join(""));
  console.log(`\n${bold(`Gristmill ${version}`)} in ${out}`);
  for (const file of [...files, "SHA256SUMS"]) {
    console.log(`  ${(fs.statSync(path.join(out, file)).size / 1e6).toFixed(2).padStart(8)} MB  ${file}`);
  }
  console.log(`  made in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
}

function step(verb, what) {
  console.log(`${bold(verb)} ${what} …`);
}

function run(command, args, env = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
  if (error || status !== 0) throw new Refused(`${[command, ...args].join(" ")} failed${error ? `: ${error.message}` : ` with exit code ${status}`}`);
}
