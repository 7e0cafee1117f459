// Files that mean harm, made here so that no harmful file lies in the repository.
import { createHash } from "node:crypto";
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

/** The same, with the name spelled as hardly anybody spells it. */
export const escapedScriptPdf = () => assemble([
  object("<< /Type /Catalog /Pages 2 0 R /OpenAction << /#53 /J#61va#53cript /JS (app.alert\\(1\\)) >> >>"), object(tree), object(page), empty]);

/** One that starts a program, where no byte of the file says so: the action lies in a compressed stream of objects. */
export function hiddenLaunchPdf() {
  const packed = zlib.deflateSync(Buffer.from("6 0 << /S /Launch /F (calc.exe) >>"));
  const objects = [object("<< /Type /Catalog /Pages 2 0 R /OpenAction 6 0 R >>"), object(tree), object(page), empty,
    stream("/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode", packed)];
  const parts = [Buffer.from("%PDF-1.5\n")];
  const rows = [[0, 0, 0]];
  let at = parts[0].length;
  for (const [index, body] of objects.entries()) {
    rows.push([1, at, 0]);
    const part = Buffer.concat([object(`${index + 1} 0 obj\n`), body, object("\nendobj\n")]);
    parts.push(part);
    at += part.length;
  }
  rows.push([2, 5, 0], [1, at, 0]);
  const table = Buffer.concat(rows.map(([type, place, index]) => Buffer.from([type, place >> 8, place & 255, index])));
  parts.push(object("7 0 obj\n"), stream("/Type /XRef /Size 8 /W [1 2 1] /Root 1 0 R", table), object(`\nendobj\nstartxref\n${at}\n%%EOF\n`));
  return Buffer.concat(parts);
}

const PAD = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex");
const md5 = (...parts) => createHash("md5").update(Buffer.concat(parts)).digest();

function rc4(key, bytes) {
  const s = Array.from({ length: 256 }, (_, n) => n);
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + s[i] + key[i % key.length]) & 255;
    [s[i], s[j]] = [s[j], s[i]];
  }
  let i = 0;
  let j = 0;
  return Buffer.from(bytes).map((byte) => {
    i = (i + 1) & 255;
    j = (j + s[i]) & 255;
    [s[i], s[j]] = [s[j], s[i]];
    return byte ^ s[(s[i] + s[j]) & 255];
  });
}

/** No harm at all: a PDF that everybody may open and only its owner may change, so that its content is encrypted. It says what it is given. */
export function lockedPdf(text) {
  const id = Buffer.alloc(16, 7);
  const owner = Buffer.concat([Buffer.from("owner"), PAD]).subarray(0, 32);
  const o = rc4(md5(owner).subarray(0, 5), PAD);
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(-60);
  const key = md5(PAD, o, permissions, id).subarray(0, 5);
  const u = rc4(key, PAD);
  const drawn = object(`BT /F1 12 Tf 72 700 Td (${text}) Tj ET`);
  const hex = (bytes) => `<${bytes.toString("hex")}>`;
  return assemble([object("<< /Type /Catalog /Pages 2 0 R >>"), object(tree),
    object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"),
    stream("", rc4(md5(key, Buffer.from([4, 0, 0, 0, 0])).subarray(0, 10), drawn)),
    object(`<< /Filter /Standard /V 1 /R 2 /O ${hex(o)} /U ${hex(u)} /P -60 >>`)],
    `/Encrypt 5 0 R /ID [${hex(id)} ${hex(id)}]`);
}

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
