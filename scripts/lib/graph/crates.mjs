// The crates of the workspace, how large each one is, and which crate uses which.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/** What house.md allows for one crate. */
export const LARGE = 6_000;

/**
 * @param metadata  what `cargo metadata --no-deps` prints
 * @param {(folder: string) => number} lines
 */
export function cratesOf(metadata, lines) {
  const own = new Set(metadata.packages.map((crate) => crate.name));
  return metadata.packages.map((crate) => {
    const folder = path.dirname(crate.manifest_path);
    const uses = crate.dependencies.filter((dependency) => own.has(dependency.name) && dependency.name !== crate.name);
    return {
      name: crate.name, about: crate.description ?? "", folder: path.relative(metadata.workspace_root, folder), lines: lines(folder),
      uses: [...new Set(uses.filter((dependency) => dependency.kind !== "dev").map((dependency) => dependency.name))].sort(),
    };
  }).sort((a, b) => a.folder.localeCompare(b.folder));
}

/** By top folder, whose crates a crate may use. Cargo itself refuses cycles. */
const BELOW = {
  sdk: ["sdk"],
  shared: ["sdk", "shared"],
  render: [],
  migrate: ["shared"],
  platform: ["shared", "platform"],
  worker: ["sdk", "shared", "render", "worker"],
  functions: ["sdk", "shared"],
  command: ["shared", "render", "migrate", "platform", "worker"],
};

/** Arrows that point up, crates that are too large, and crates that do not say what they are for. */
export function complaintsAboutCrates(crates) {
  const folderOf = new Map(crates.map((crate) => [crate.name, crate.folder]));
  const top = (name) => folderOf.get(name).split("/")[0];
  return crates.flatMap((crate) => [
    ...(BELOW[top(crate.name)] ? [] : [`${crate.folder} lies in a folder that scripts/lib/graph/crates.mjs does not know`]),
    ...crate.uses.filter((used) => !BELOW[top(crate.name)]?.includes(top(used))).map((used) => `${crate.folder} uses ${folderOf.get(used)}, which is above it`),
    ...(crate.lines > LARGE ? [`${crate.folder} has ${crate.lines} lines; ${LARGE} is the most`] : []),
    ...(crate.about ? [] : [`${crate.folder} does not say what it is for: its Cargo.toml has no description`]),
  ]);
}

export const readMetadata = (folder) =>
  JSON.parse(execFileSync("cargo", ["metadata", "--offline", "--no-deps", "--format-version", "1"], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 26 }));

/** Lines of Rust in src/, tests beside the code included. */
export function linesOfRust(folder) {
  const source = path.join(folder, "src");
  return fs.readdirSync(source, { recursive: true }).filter((file) => file.endsWith(".rs"))
    .reduce((sum, file) => sum + fs.readFileSync(path.join(source, file), "utf8").split("\n").length - 1, 0);
}
