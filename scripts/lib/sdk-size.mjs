// How large the core of the TypeScript package is in a user's bundle: minified by esbuild, then gzipped.
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import esbuild from "esbuild";

const dist = new URL("../../sdk/typescript/dist/", import.meta.url);

/** Bytes, gzipped. What is imported when it is called for (the long-lived worker) is counted only with `withAll`. */
export async function sizeOf(entry, { withAll = false } = {}) {
  const { outputFiles: [{ contents }] } = await esbuild.build({
    entryPoints: [fileURLToPath(new URL(entry, dist))], bundle: true, minify: true, format: "esm", target: "es2022", write: false, external: ["react"],
    plugins: withAll ? [] : [{ name: "later", setup: (build) => build.onResolve({ filter: /^\./ }, ({ kind, path }) => (kind === "dynamic-import" ? { path, external: true } : null)) }],
  });
  return gzipSync(contents, { level: 9 }).length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const bytes = await sizeOf("index.js"), all = await sizeOf("index.js", { withAll: true });
  console.log(`  sdk        the core is ${bytes} bytes gzipped, ${all} with the long-lived worker`);
  console.log(`  sdk        gristmill/client is ${await sizeOf("client/index.js")} bytes gzipped, gristmill/react ${await sizeOf("react/index.js")} more`);
}
