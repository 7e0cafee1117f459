// Files that mean harm, made here so that no harmful file lies in the repository.
import zlib from "node:zlib";

import { crc32 } from "./image.mjs";
import { assemble } from "./pdf.mjs";

const object = (text) => Buffer.from(text, "latin1");
const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R >>";
const tree = "<< /Type /Pages /Count 1 /Kids [3 0 R] >>";
const stream = (dictionary, bytes) => Buffer.concat([
  object(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`), bytes, object("\nendstream")]);
const empty = stream("", object("BT ET"));

/** The test file that every virus scanner knows, put together only here. */
export const eicar = () => Buffer.from(["X5O!P%@AP[4\\PZX54(P^)7CC)7}$", "EICAR-STANDARD-ANTIVIRUS-TEST-FILE!", "$H+H*"].join(""));

/** A PDF that nobody has the password of. */
export function encryptedPdf() {
  const secret = "<" + "5a".repeat(32) + ">";
  return assemble([object("<< /Type /Catalog /Pages 2 0 R >>"), object(tree), object(page), empty,
    object(`<< /Filter /Standard /V 1 /R 2 /O ${secret} /U ${secret} /P -4 >>`)],
    `/Encrypt 5 0 R /ID [<${"00".repeat(16)}> <${"00".repeat(16)}>]`);
}

/** A PDF that runs a script when it is opened. */
export const scriptedPdf = () => assemble([
  object("<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> >>"), object(tree), object(page), empty]);

/** A few kilobytes that unpack to a gigabyte, three times packed. */
export function bombPdf() {
  const inner = zlib.deflateSync(Buffer.alloc(64 << 20, " "), { level: 9 });
  const packed = zlib.deflateSync(zlib.deflateSync(Buffer.concat(Array(16).fill(inner)), { level: 9 }), { level: 9 });
  return assemble([object("<< /Type /Catalog /Pages 2 0 R >>"), object(tree), object(page),
    stream("/Filter [/FlateDecode /FlateDecode /FlateDecode]", packed)]);
}

/**
 * A PDF that breaks no rule and takes long to read: forty pages without a word, so each must be looked at as a picture, and each is drawn with the
 * same ten thousand strokes. No two names give the same bytes.
 */
export function slowPdf(name) {
  const PAGES = 40;
  const strokes = Array.from({ length: 10_000 }, (_, n) => `${(n * 7919) % 612} ${(n * 104729) % 792} m ${(n * 31) % 9} ${(n * 17) % 7} ${n % 3} ${n % 5} 9 9 c S`);
  const kids = Array.from({ length: PAGES }, (_, n) => `${n + 4} 0 R`).join(" ");
  return assemble([
    object("<< /Type /Catalog /Pages 2 0 R >>"), object(`<< /Type /Pages /Count ${PAGES} /Kids [${kids}] >>`),
    stream("/Filter /FlateDecode", zlib.deflateSync(Buffer.from(`% ${name}\n${strokes.join("\n")}`, "latin1"))),
    ...Array(PAGES).fill(object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 3 0 R >>"))]);
}

/** A PNG of 64 thousand by 64 thousand pixels in 100 bytes. */
export function hugePng() {
  const chunk = (type, body) => {
    const typed = Buffer.concat([object(type), body]);
    const out = Buffer.alloc(8 + typed.length);
    out.writeUInt32BE(body.length, 0);
    typed.copy(out, 4);
    out.writeUInt32BE(crc32(typed), 4 + typed.length);
    return out;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(65500, 0);
  header.writeUInt32BE(65500, 4);
  header.writeUInt8(8, 8);
  return Buffer.concat([object("\x89PNG\r\n\x1a\n"), chunk("IHDR", header), chunk("IDAT", zlib.deflateSync(Buffer.alloc(1000))), chunk("IEND", Buffer.alloc(0))]);
}

export const html = () => Buffer.from("<!DOCTYPE html><html><script>alert(1)</script></html>");
