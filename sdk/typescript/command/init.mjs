// `gristmill init`: writes a small project into a folder.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const home = fileURLToPath(new URL("..", import.meta.url));
const templates = path.join(home, "templates");

const usage = () => `usage: gristmill init [FOLDER] [--template NAME] [--from DIR]

Writes a small project: one job function, its queue and one test in TypeScript, or a worker in Rust. Overwrites nothing.

  FOLDER           where (default: this folder)
  --template NAME  one of: ${fs.readdirSync(templates).join(", ")} (default: typescript)
  --from DIR       take Gristmill's packages from the release files in DIR instead of the npm registry
  -h, --help       this text`;

export async function main(args) {
  let options;
  try {
    options = parseArgs({ args, allowPositionals: true,
      options: { template: { type: "string", default: "typescript" }, from: { type: "string" }, help: { type: "boolean", short: "h" } } });
  } catch (error) {
    return refuse(`${error.message.split(". ")[0]}. See gristmill init --help`, 2);
  }
  const { values: { template, from, help }, positionals } = options;
  if (help) return console.log(usage()) ?? 0;
  if (positionals.length > 1) return refuse("init takes one folder. See gristmill init --help", 2);
  if (!fs.readdirSync(templates).includes(template)) return refuse(`there is no template "${template}"\n  --template takes: ${fs.readdirSync(templates).join(", ")}`, 2);

  const folder = path.resolve(positionals[0] ?? ".");
  const source = path.join(templates, template);
  const files = filesIn(source);
  const taken = files.map(({ to }) => to).filter((file) => fs.existsSync(path.join(folder, file)));
  if (taken.length > 0) return refuse(`nothing was written, because ${folder} already has: ${taken.join(", ")}\n  choose another folder: gristmill init FOLDER`);
  const isRust = template === "rust";
  let packages;
  try {
    packages = from ? tarballs(path.resolve(from)) : published();
    if (from && isRust) unpackCrates(path.resolve(from), folder);
  } catch (error) {
    return refuse(error.message);
  }

  const name = isRust ? crateNameOf(folder) : nameOf(folder);
  for (const { from: file, to } of files) {
    const target = path.join(folder, to);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    const text = fs.readFileSync(path.join(source, file), "utf8").replaceAll("my-jobs", name);
    fs.writeFileSync(target, to === "package.json" ? withPackages(text, packages) : to === "Cargo.toml" ? withCrates(text, from) : text);
  }
  const here = path.relative(process.cwd(), folder);
  console.log(`A project named ${name} is in ${here || "this folder"}:
${files.map(({ to }) => `  ${to}`).join("\n")}

Next
${here ? `  cd ${here}\n` : ""}  npm install
${isRust ? `  npx gristmill dev      all that the worker needs, on this machine
  eval "$(npx gristmill dev --env)" && cargo run      the worker, in another terminal`
  : `  npx gristmill dev      the job and all it needs, on this machine
  npx gristmill test     its test`}`);
  return 0;
}

// npm leaves a file named .gitignore out of a package, so it has no dot there.
function filesIn(folder) {
  return fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)))
    .map((file) => ({ from: file, to: file === "gitignore" ? ".gitignore" : file }))
    .sort((a, b) => (a.to < b.to ? -1 : 1));
}

const version = () => JSON.parse(fs.readFileSync(path.join(home, "package.json"), "utf8")).version;
const published = () => ({ "@gristmill/local": version(), gristmill: version() });

// Nothing of it is on npm: the platform's package is named too, or npm would look for it there.
function tarballs(folder) {
  const names = ["@gristmill/local", `@gristmill/${process.platform}-${process.arch}`, "gristmill"];
  return Object.fromEntries(names.map((name) => {
    return [name, `file:${released(folder, `${name.replace("@", "").replace("/", "-")}-${version()}.tgz`)}`];
  }));
}

function released(folder, name) {
  const file = path.join(folder, name);
  if (!fs.existsSync(file)) throw new Error(`${file} is missing: --from takes the folder that scripts/release has written, of version ${version()}`);
  return file;
}

const CRATES = ["gristmill", "gristmill-definitions", "gristmill-macros"];

// Nothing of it is on crates.io: cargo takes the crates from the folder `vendor` of the project.
function unpackCrates(releases, folder) {
  const files = CRATES.map((name) => released(releases, `${name}-${version()}.crate`));
  const vendor = path.join(folder, "vendor");
  fs.mkdirSync(vendor, { recursive: true });
  for (const file of files) execFileSync("tar", ["-xzf", file, "-C", vendor]);
}

function withCrates(text, from) {
  const manifest = text.replace("GRISTMILL", version());
  if (!from) return manifest;
  const places = CRATES.map((name) => `${name} = { path = "vendor/${name}-${version()}" }`);
  return `${manifest}\n# From the release files, as long as Gristmill is not on crates.io.\n[patch.crates-io]\n${places.join("\n")}\n`;
}

function withPackages(text, packages) {
  const manifest = JSON.parse(text);
  manifest.devDependencies = { ...packages, ...manifest.devDependencies };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

// What npm allows as a name.
function nameOf(folder) {
  return path.basename(folder).toLowerCase().replace(/[^a-z0-9._-]+/g, "-").replace(/^[._-]+|-+$/g, "") || "my-jobs";
}

// What cargo allows as well.
function crateNameOf(folder) {
  return nameOf(folder).replaceAll(".", "-").replace(/^(?=[0-9])/, "jobs-");
}

function refuse(message, code = 1) {
  console.error(`gristmill init: ${message}`);
  return code;
}
