// One version for everything that a release publishes, and one version of each package that several of its files name.
import fs from "node:fs";
import path from "node:path";
import { parse } from "smol-toml";

import { root } from "../../../sdk/local/stack/paths.mjs";

const read = (file) => fs.readFileSync(path.join(root, file), "utf8");
const json = (file) => JSON.parse(read(file));

/** The workspace's. */
export const version = parse(read("Cargo.toml")).workspace.package.version;

/** As npm names them: each has a package with the native binary. */
export const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64"];
export const thisPlatform = `${process.platform}-${process.arch}`;

/** A sentence for each version that is not what it should be. */
export function whatDisagrees() {
  const own = ["sdk/typescript/package.json", "sdk/local/package.json"]
    .map((file) => [file, json(file).version])
    .filter(([, found]) => found !== version)
    .map(([file, found]) => `${file} has ${found}, and Cargo.toml ${version}`);
  const sql = /return '([^']*)'/.exec(read("sql/console/watch/version.sql"))?.[1];
  if (sql !== version) own.push(`sql/console/watch/version.sql has ${sql}, and Cargo.toml ${version}`);

  const checkout = json("package.json");
  const tested = { ...checkout.dependencies, ...checkout.optionalDependencies, ...checkout.devDependencies };
  const named = ["sdk/local/package.json", "sdk/typescript/package.json", "sdk/typescript/templates/typescript/package.json"].flatMap((file) => {
    const { dependencies, optionalDependencies, devDependencies } = json(file);
    return Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies })
      .filter(([name, wanted]) => tested[name] && tested[name] !== wanted)
      .map(([name, wanted]) => `${file} has ${name} ${wanted}, and the tests run with ${tested[name]} (package.json)`);
  });
  return [...own, ...named];
}
