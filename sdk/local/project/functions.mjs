// The user's functions: every folder functions/NAME with an index file, bundled by esbuild into one module for workerd.
import fs from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";
import { parseEnv } from "node:util";
import esbuild from "esbuild";

const INDEX = ["index.ts", "index.tsx", "index.mts", "index.js", "index.mjs"];

/** Their names. A folder whose name begins with _ or . holds what functions share. */
export function namesIn(project) {
  const folder = path.join(project, "functions");
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^[_.]/.test(entry.name) && indexOf(project, entry.name))
    .map((entry) => entry.name).sort();
}

const indexOf = (project, name) => INDEX.map((file) => path.join(project, "functions", name, file)).find((file) => fs.existsSync(file));

/** Variables of the user's own, for all functions of the project. */
export function variablesOf(project) {
  const file = path.join(project, ".env");
  return fs.existsSync(file) ? parseEnv(fs.readFileSync(file, "utf8")) : {};
}

export class ProjectFunctions {
  /**
   * @param {string} project
   * @param {string[]} taken  names that Gristmill's own functions have
   */
  constructor(project, taken = []) {
    Object.assign(this, { project, taken });
    /** By name: the newest code that compiled. */
    this.code = new Map();
    /** By name: from places in that code to places in the user's files. */
    this.maps = new Map();
    this.watchers = new Map();
  }

  /**
   * Compiles all of them anew: 20 to 40 ms. One that does not compile keeps its older code.
   * @returns {Promise<{changed: string[], problems: string[]}>}
   */
  async build() {
    const names = namesIn(this.project);
    const gone = [...this.code.keys()].filter((name) => !names.includes(name));
    for (const name of gone) this.code.delete(name);
    const built = await Promise.all(names.map((name) => this.#bundle(name)));
    return {
      changed: [...gone, ...built.filter(({ isNew }) => isNew).map(({ name }) => name)],
      problems: built.map(({ problem }) => problem).filter(Boolean),
    };
  }

  async #bundle(name) {
    if (!/^[a-z][a-z0-9_-]{0,62}$/.test(name)) return { name, problem: `functions/${name}: a function's name is made of a-z, 0-9, _ and -. Rename the folder` };
    if (this.taken.includes(name)) return { name, problem: `functions/${name} has the name of a function of Gristmill. Rename the folder` };
    try {
      const { outputFiles: [map, { text }], metafile, warnings } = await esbuild.build({
        entryPoints: [indexOf(this.project, name)], outfile: path.join(this.project, `${name}.mjs`), sourcemap: "external",
        absWorkingDir: this.project,
        bundle: true, write: false, metafile: true, logLevel: "silent",
        format: "esm", target: "es2022", platform: "browser",
        conditions: ["workerd", "worker", "browser"],
        external: ["node:*", "cloudflare:*"],
      });
      this.#watchFoldersOf(metafile);
      const isNew = this.code.get(name) !== text;
      this.code.set(name, text);
      this.maps.set(name, new SourceMap(JSON.parse(map.text)));
      return { name, isNew, problem: (await esbuild.formatMessages(warnings, { kind: "warning" })).join("") };
    } catch (error) {
      if (!error.errors) throw error;
      const said = await esbuild.formatMessages(error.errors, { kind: "error" });
      return { name, problem: `functions/${name} does not compile${this.code.has(name) ? "; its older code goes on" : ""}\n${said.join("").trimEnd()}` };
    }
  }

  /** A line of a stack trace, with places in the user's files instead of places in what workerd runs. */
  translated(line) {
    return line.replace(/(?:file:\/\/\S*\/)?([a-z][a-z0-9_-]*)\.mjs:(\d+):(\d+)/g, (place, name, row, column) => {
      const { originalSource, originalLine, originalColumn } = this.maps.get(name)?.findEntry(row - 1, column - 1) ?? {};
      return originalSource ? `${originalSource}:${originalLine + 1}:${originalColumn + 1}` : place;
    });
  }

  /** Calls `onChange` when a file was changed that one of them is made of, when one was added or removed, or when .env was changed. */
  watch(onChange) {
    this.onChange = onChange;
    this.#watchFolder(this.project, (file) => file === ".env" || file === "functions");
    this.#watchFolder(path.join(this.project, "functions"));
    for (const name of namesIn(this.project)) this.#watchFolder(path.join(this.project, "functions", name));
    for (const folder of this.folders ?? []) this.#watchFolder(folder);
  }

  close() {
    for (const watcher of this.watchers.values()) watcher.close();
    clearTimeout(this.timer);
  }

  // Folders, not files: an editor that writes a new file and renames it would be lost with the old file.
  #watchFoldersOf({ inputs }) {
    const folders = Object.keys(inputs).filter((input) => !input.includes("node_modules/")).map((input) => path.resolve(this.project, path.dirname(input)));
    this.folders = new Set([...(this.folders ?? []), ...folders]);
    if (this.onChange) for (const folder of this.folders) this.#watchFolder(folder);
  }

  #watchFolder(folder, isMeant = () => true) {
    if (this.watchers.has(folder) || !fs.existsSync(folder)) return;
    const watcher = fs.watch(folder, (_, file) => {
      if (isMeant(file)) this.#soon();
    });
    watcher.on("error", () => { // the folder is gone
      watcher.close();
      this.watchers.delete(folder);
    });
    this.watchers.set(folder, watcher);
  }

  // An editor writes in several steps, and several files at once are saved together.
  #soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.watch(this.onChange); // a new folder has come
      this.onChange();
    }, 50);
  }
}
