// The commands of a guide, as a reader would type them.
import fs from "node:fs";
import path from "node:path";

import { root } from "../../sdk/local/stack/paths.mjs";

/** The arguments of each `npx gristmill deploy …` of a page's sh blocks, in order, with the page's example values replaced. */
export function commandsOf(file, values) {
  const blocks = [...fs.readFileSync(path.join(root, file), "utf8").matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1]);
  const lines = blocks.join("\n").replace(/\\\n\s*/g, " ").split("\n").map((line) => line.trim()).filter((line) => line.startsWith("npx gristmill deploy"));
  if (lines.length === 0) throw new Error(`${file} shows no npx gristmill deploy`);
  return lines.map((line) => {
    const said = Object.entries(values).reduce((text, [example, value]) => text.replaceAll(example, value), line);
    return said.split(/\s+/).slice(2).map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
  });
}
