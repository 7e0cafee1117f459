// Programs of a project for Node, which does not run TypeScript by itself before Node 22: each file becomes one module, packages stay outside.
import fs from "node:fs";
import path from "node:path";
import esbuild from "esbuild";

import { Refused } from "./project.mjs";

/** Writes the bundles into `folder` and returns their paths. `folder` is below the project, so that what they import from node_modules is found. */
export async function bundle(files, project, folder) {
  try {
    const { outputFiles } = await esbuild.build({
      entryPoints: files, outdir: folder, outbase: project, absWorkingDir: project, outExtension: { ".js": ".mjs" },
      bundle: true, packages: "external", platform: "node", format: "esm", target: "node20", sourcemap: "inline", logLevel: "silent", write: false,
    });
    for (const { path: file, contents } of outputFiles) {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, contents);
    }
    return outputFiles.map(({ path: file }) => file);
  } catch (error) {
    if (!error.errors) throw error;
    const said = (await esbuild.formatMessages(error.errors, { kind: "error" })).join("").trimEnd();
    throw new Refused(`${files.some((file) => /\.test\./.test(file)) ? "a test" : path.relative(project, files[0])} does not compile\n${said}`);
  }
}
