// `gristmill dev`, `run`, `test`, `deploy` and `smoke` are in the package @gristmill/local, which a project has among its devDependencies: workerd,
// esbuild and Postgres are 200 MB, and the command itself stays free of dependencies.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { binary } from "./binary.mjs";

const INSTALL = "the package @gristmill/local is not installed here. In your project run: npm install --save-dev @gristmill/local";

/** @param {"dev"|"run"|"test"} name */
export const command = (name) => ({
  async main(args) {
    try {
      const [major, minor] = process.versions.node.split(".").map(Number);
      if (major < 20 || (major === 20 && minor < 12)) return refuse(name, `Node 20.12 or newer is needed; this is ${process.versions.node}`);
      const wantsHelp = name === "run" ? ["-h", "--help"].includes(args[0]) : args.includes("-h") || args.includes("--help");
      const project = wantsHelp ? process.cwd() : findProject();
      const file = find(name, project);
      if (!file) return refuse(name, INSTALL);
      // Every process of the stack inherits these.
      process.env.GRISTMILL_PROJECT = project;
      const found = binary();
      if (found.path) process.env.GRISTMILL_BIN = found.path;
      else if (!isCheckout(file)) return refuse(name, found.missing);
      const { main } = await import(pathToFileURL(file));
      return await main(args, project);
    } catch (error) {
      if (error.code?.startsWith("ERR_PARSE_ARGS")) return refuse(name, `${error.message.split(". ")[0]}. See gristmill ${name} --help`, 2);
      if (error.isRefusal) return refuse(name, error.message);
      throw error;
    }
  },
});

/**
 * A command that works in any folder, with what it finds there.
 * @param {"deploy"|"smoke"} name
 */
export const tool = (name) => ({
  async main(args) {
    const file = find(name, process.cwd());
    if (!file) return refuse(name, INSTALL);
    const { main } = await import(pathToFileURL(file));
    return main(args, { binary: binary() });
  },
});

function refuse(name, message, code = 1) {
  console.error(`gristmill ${name}: ${message}`);
  return code;
}

/** The folder of the project: the nearest one, from here upwards, that has functions, or a worker in Rust. */
function findProject(from = process.cwd()) {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const has = (name) => fs.existsSync(path.join(folder, name));
    if (has("package.json") && (has("functions") || has("Cargo.toml"))) return folder;
    if (path.dirname(folder) === folder) break;
  }
  const message = `there is no project in ${from}: a project has a package.json, and a folder "functions" or a Cargo.toml\n  make one with: npx gristmill init`;
  throw Object.assign(new Error(message), { isRefusal: true });
}

// The project's own first; then beside this package; then that of a checkout.
function find(name, project) {
  for (const from of [path.join(project, "package.json"), import.meta.url]) {
    try {
      return createRequire(from).resolve(`@gristmill/local/${name}`);
    } catch {
      // The next.
    }
  }
  const inCheckout = [`project/${name}.mjs`, `${name}/main.mjs`].map((file) => fileURLToPath(new URL(`../../local/${file}`, import.meta.url)));
  return inCheckout.find((file) => fs.existsSync(file)) ?? null;
}

const isCheckout = (file) => fs.existsSync(path.resolve(path.dirname(file), "../../../Cargo.toml"));
