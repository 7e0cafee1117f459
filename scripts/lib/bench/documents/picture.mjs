// A page of a PDF as a PNG, with a box around each word and a bold one around each fact.
import { execFileSync } from "node:child_process";

import { png, readPgm } from "../../samples/image.mjs";

const DPI = 110;

export function drawBoxes(pdf, words, facts) {
  const page = readPgm(execFileSync("pdftoppm", ["-r", String(DPI), "-gray", "-singlefile", pdf], { maxBuffer: 64 << 20 }));
  const image = { ...page, data: Buffer.from(page.data) };
  for (const box of words) frame(image, box, 1, 150);
  for (const box of facts) frame(image, box, 3, 40);
  return png(image, DPI);
}

function frame({ width, height, data }, [left, top, right, bottom], thick, grey) {
  const [x1, y1, x2, y2] = [left * width - 3, top * height - 3, right * width + 3, bottom * height + 3].map(Math.round);
  for (let y = Math.max(0, y1); y <= Math.min(height - 1, y2); y++) {
    for (let x = Math.max(0, x1); x <= Math.min(width - 1, x2); x++) {
      if (x < x1 + thick || x > x2 - thick || y < y1 + thick || y > y2 - thick) data[y * width + x] = grey;
    }
  }
}
