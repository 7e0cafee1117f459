// What a published file is made of, in the form of CycloneDX 1.6: crates from cargo's own graph, Node packages by npm's own command.
import { Enums, Models, Serialize, Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { execFileSync } from "node:child_process";
import fs from "node:fs";

import { root } from "../../../sdk/local/stack/paths.mjs";
import { version } from "./versions.mjs";

/** Crates that are linked into what is built for `target`: neither build scripts and macros, nor what tests use. */
export function sbomOfCrates({ file, name, crates, target = hostTarget() }) {
  const { packages, resolve } = JSON.parse(execFileSync("cargo",
    ["metadata", "--locked", "--format-version", "1", "--filter-platform", target], { cwd: root, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] }));
  const byId = new Map(packages.map((one) => [one.id, one]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const isMacro = (id) => byId.get(id).targets.some(({ kind }) => kind.includes("proc-macro"));
  const linked = (id) => nodes.get(id).deps.filter(({ pkg, dep_kinds }) => dep_kinds.some(({ kind }) => kind === null) && !isMacro(pkg)).map(({ pkg }) => pkg);

  const components = new Map();
  const add = (id) => {
    if (components.has(id)) return components.get(id);
    const component = componentOf(byId.get(id));
    components.set(id, component);
    for (const other of linked(id)) component.dependencies.add(add(other).bomRef);
    return component;
  };
  const bom = new Models.Bom();
  bom.metadata.component = new Models.Component(Enums.ComponentType.Application, name, { version, bomRef: `${name}@${version}` });
  for (const crate of crates) {
    const { id } = packages.find((one) => one.name === crate && one.source === null);
    bom.metadata.component.dependencies.add(add(id).bomRef);
  }
  for (const component of components.values()) bom.components.add(component);
  fs.writeFileSync(file, `${new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6)).serialize(bom, { sortLists: true, space: 1 })}\n`);
}

function componentOf({ name, version: itsVersion, license, source }) {
  const purl = `pkg:cargo/${name}@${itsVersion}`;
  const component = new Models.Component(Enums.ComponentType.Library, name, { version: itsVersion, bomRef: purl, ...(source && { purl }) });
  // Older crates write "MIT/Apache-2.0".
  if (license) component.licenses.add(new Models.LicenseExpression(license.replaceAll("/", " OR ")));
  return component;
}

const hostTarget = () => /^host: (.*)$/m.exec(execFileSync("rustc", ["-vV"], { cwd: root, encoding: "utf8" }))[1];

/** Everything that npm installs with a package, on every platform. */
export function sbomOfPackage({ file, folder }) {
  const npm = (...args) => execFileSync("npm", args, { cwd: folder, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
  npm("install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund");
  fs.writeFileSync(file, npm("sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "library"));
}

/** What the form of CycloneDX does not allow in a file; null when all is well. */
export function problemOf(file) {
  const text = fs.readFileSync(file, "utf8");
  return new Validation.JsonValidator(JSON.parse(text).specVersion).validate(text);
}
