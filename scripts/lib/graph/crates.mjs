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

/**
 * Libraries lie below the programs that use them: a crate in shared/ uses only crates in shared/, and nobody uses a function's crate.
 * Cargo itself refuses cycles.
 */
export function complaintsAboutCrates(crates) {
  const folderOf = new Map(crates.map((crate) => [crate.name, crate.folder]));
  const isShared = (name) => folderOf.get(name).split("/")[0] === "shared";
  const isFunction = (name) => folderOf.get(name).startsWith("functions/");
  return crates.flatMap((crate) => crate.uses
    .filter((used) => (isShared(crate.name) && !isShared(used)) || isFunction(used))
    .map((used) => `${crate.folder} uses ${folderOf.get(used)}, which is above it`));
}

export const readMetadata = (folder) =>
  JSON.parse(execFileSync("cargo", ["metadata", "--offline", "--no-deps", "--format-version", "1"], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 26 }));

/** Lines of Rust in src/, tests beside the code included. */
export function linesOfRust(folder) {
  const source = path.join(folder, "src");
  return fs.readdirSync(source, { recursive: true }).filter((file) => file.endsWith(".rs"))
    .reduce((sum, file) => sum + fs.readFileSync(path.join(source, file), "utf8").split("\n").length - 1, 0);
}
