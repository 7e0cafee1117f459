// Writes small PDFs: text in Helvetica, or one grey image a page. Only what the samples need.
import zlib from "node:zlib";

const WIDTH = 612;
const HEIGHT = 792;

/** A born-digital PDF of pages of items, see documents.mjs. */
export function textPdf(pages) {
  return pdf(pages.map((page) => ({ width: WIDTH, height: HEIGHT, content: page.map(draw).join("\n") })));
}

/** A PDF whose pages are images alone, as a scanner makes them; `dpi` says how large they are. */
export function imagePdf(images, dpi) {
  return pdf(images.map((image) => {
    const [width, height] = [image.width * 72 / dpi, image.height * 72 / dpi];
    return { width, height, image, content: `q ${width} 0 0 ${height} 0 0 cm /Im Do Q` };
  }));
}

function draw({ x, y, text, size = 11, bold = false, line }) {
  if (line) return `0.7 w ${line[0]} ${HEIGHT - line[1]} m ${line[2]} ${HEIGHT - line[1]} l S`;
  const escaped = text.replace(/[\\()]/g, (letter) => `\\${letter}`);
  return `BT /${bold ? "B" : "R"} ${size} Tf ${x} ${HEIGHT - y} Td (${escaped}) Tj ET`;
}

function pdf(pages) {
  const objects = [];
  const add = (body) => objects.push(Buffer.isBuffer(body) ? body : Buffer.from(body, "latin1"));
  const stream = (dictionary, bytes) => Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`), bytes, Buffer.from("\nendstream")]);
  add("<< /Type /Catalog /Pages 2 0 R >>");
  add(""); // the page tree, once its kids are known
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>");
  const kids = pages.map(({ width, height, content, image }) => {
    add(stream("", Buffer.from(content, "latin1")));
    const contents = objects.length;
    let xobject = "";
    if (image) {
      add(stream(`/Type /XObject /Subtype /Image /Width ${image.width} /Height ${image.height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode`,
        zlib.deflateSync(image.data, { level: 6 })));
      xobject = `/XObject << /Im ${objects.length} 0 R >>`;
    }
    add(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${contents} 0 R /Resources << /Font << /R 3 0 R /B 4 0 R >> ${xobject} >> >>`);
    return objects.length;
  });
  objects[1] = Buffer.from(`<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((id) => `${id} 0 R`).join(" ")}] >>`);
  return assemble(objects);
}

/** Numbers objects from 1 and adds the table that says where each is; the first is the catalog. */
export function assemble(objects, trailer = "") {
  const parts = [Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "latin1")];
  let position = parts[0].length;
  const places = objects.map((object, i) => {
    const place = position;
    const bytes = Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    parts.push(bytes);
    position += bytes.length;
    return place;
  });
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  parts.push(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${position}\n%%EOF\n`));
  return Buffer.concat(parts);
}
