// Grey images, {width, height, data}: what scanners and phones do to a page, the same on every run.
import zlib from "node:zlib";

/** A generator of numbers in [0, 1) that a seed determines (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Reads a binary PGM, as pdftoppm -gray writes it. */
export function readPgm(bytes) {
  const head = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.subarray(0, 64).toString("latin1"));
  return { width: Number(head[1]), height: Number(head[2]), data: bytes.subarray(head[0].length) };
}

// Each pixel of the result is looked up at source(x, y), between four pixels.
function warp({ width, height, data }, source, paper = 255, size = { width, height }) {
  const out = Buffer.alloc(size.width * size.height, paper);
  for (let y = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++) {
      const [sx, sy] = source(x, y);
      const left = Math.floor(sx), top = Math.floor(sy);
      if (left < 0 || top < 0 || left >= width - 1 || top >= height - 1) continue;
      const fx = sx - left, fy = sy - top, at = top * width + left;
      out[y * size.width + x] = (data[at] * (1 - fx) + data[at + 1] * fx) * (1 - fy)
        + (data[at + width] * (1 - fx) + data[at + width + 1] * fx) * fy;
    }
  }
  return { ...size, data: out };
}

export function rotate(image, degrees) {
  const angle = degrees * Math.PI / 180, cos = Math.cos(angle), sin = Math.sin(angle);
  const cx = image.width / 2, cy = image.height / 2;
  return warp(image, (x, y) => [cx + (x - cx) * cos + (y - cy) * sin, cy - (x - cx) * sin + (y - cy) * cos]);
}

/** Turned clockwise by 90 degrees, `times` times. */
export function quarterTurns(image, times) {
  let turned = image;
  for (let turn = 0; turn < times; turn++) {
    const { width, height, data } = turned;
    turned = drawn({ width: height, height: width }, (x, y) => data[(height - 1 - x) * width + y]);
  }
  return turned;
}

/** As a camera stores an upright picture that it marks with an EXIF orientation, 1 to 8. */
export function storedAs(image, orientation) {
  const mirrored = ({ width, height, data }) => drawn({ width, height }, (x, y) => data[y * width + width - 1 - x]);
  const isMirrored = [2, 4, 5, 7].includes(orientation);
  // What turns the stored picture upright is a turn and then a mirroring, so what stores it is a mirroring and then the turn back.
  const turns = { 1: 0, 2: 0, 3: 2, 4: 2, 5: 1, 6: 1, 7: 3, 8: 3 }[orientation];
  return quarterTurns(isMirrored ? mirrored(image) : image, (4 - turns) % 4);
}

function drawn({ width, height }, pixel) {
  const data = Buffer.alloc(width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data[y * width + x] = pixel(x, y);
  return { width, height, data };
}

/** A JPEG that says by EXIF how it is to be turned. */
export function withOrientation(jpeg, orientation) {
  const body = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), Buffer.from([0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0])]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]);
}

/** Grain over the whole page, specks of dust, and fading ink. */
export function noise(image, next, { grain = 22, specks = 0.0006, fade = 30 } = {}) {
  const data = Buffer.from(image.data);
  for (let i = 0; i < data.length; i++) {
    const grey = data[i] + (255 - data[i]) * fade / 255 + (next() + next() + next() - 1.5) * grain;
    data[i] = Math.max(0, Math.min(255, next() < specks ? next() * 120 : grey));
  }
  return { ...image, data };
}

/** A page on a table: seen from an angle, lit from one side, a little out of focus. */
export function photograph(image, next, width = 2100) {
  const height = Math.round(width * 1.32), margin = 0.06;
  const lean = 0.035 + next() * 0.02, turn = (next() - 0.5) * 0.02;
  const seen = warp(image, (x, y) => {
    const v = (y / height - margin) / (1 - 2 * margin);
    const narrow = 1 - lean * (1 - v);
    const u = ((x / width - 0.5) / narrow + 0.5 - margin + turn * (v - 0.5)) / (1 - 2 * margin);
    return [u * image.width, v * image.height];
  }, 96, { width, height });
  const data = Buffer.alloc(seen.data.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const blurred = (seen.data[i] * 4 + (seen.data[i - 1] ?? 96) + (seen.data[i + 1] ?? 96) + (seen.data[i - width] ?? 96) + (seen.data[i + width] ?? 96)) / 8;
      const light = 0.97 - 0.28 * (x / width) - 0.08 * (y / height);
      data[i] = Math.max(0, Math.min(255, blurred * light + (next() - 0.5) * 10));
    }
  }
  return { width, height, data };
}

export function png({ width, height, data }, dpi = 300) {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) data.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width);
  const chunk = (type, body) => {
    const typed = Buffer.concat([Buffer.from(type), body]);
    const out = Buffer.alloc(8 + typed.length);
    out.writeUInt32BE(body.length, 0);
    typed.copy(out, 4);
    out.writeUInt32BE(crc32(typed), 4 + typed.length);
    return out;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  const density = Buffer.alloc(9);
  density.writeUInt32BE(Math.round(dpi / 0.0254), 0);
  density.writeUInt32BE(Math.round(dpi / 0.0254), 4);
  density.writeUInt8(1, 8);
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", header), chunk("pHYs", density),
    chunk("IDAT", zlib.deflateSync(rows, { level: 6 })), chunk("IEND", Buffer.alloc(0))]);
}

const table = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});
export function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = table[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** A TIFF of several grey pages, compressed with Deflate. */
export function tiff(images, dpi = 300) {
  const parts = [Buffer.from([0x49, 0x49, 42, 0, 8, 0, 0, 0])];
  let position = 8;
  images.forEach(({ width, height, data }, i) => {
    const packed = zlib.deflateSync(data, { level: 6 });
    const pixels = packed.length % 2 ? Buffer.concat([packed, Buffer.alloc(1)]) : packed;
    const entries = [
      [256, 4, 1, width], [257, 4, 1, height], [258, 3, 1, 8], [259, 3, 1, 8], [262, 3, 1, 1], [273, 4, 1, 0], [277, 3, 1, 1],
      [278, 4, 1, height], [279, 4, 1, packed.length], [282, 5, 1, 0], [283, 5, 1, 0], [296, 3, 1, 2]];
    const directory = 2 + entries.length * 12 + 4;
    const rational = position + directory, strip = rational + 8;
    const out = Buffer.alloc(directory + 8);
    out.writeUInt16LE(entries.length, 0);
    entries.forEach(([tag, type, count, value], n) => {
      if (tag === 273) value = strip;
      if (tag === 282 || tag === 283) value = rational;
      out.writeUInt16LE(tag, 2 + n * 12);
      out.writeUInt16LE(type, 4 + n * 12);
      out.writeUInt32LE(count, 6 + n * 12);
      out.writeUInt32LE(value, 10 + n * 12);
    });
    const next = strip + pixels.length;
    out.writeUInt32LE(i === images.length - 1 ? 0 : next, 2 + entries.length * 12);
    out.writeUInt32LE(dpi, directory);
    out.writeUInt32LE(1, directory + 4);
    parts.push(out, pixels);
    position = next;
  });
  return Buffer.concat(parts);
}

/**
 * A lossless WebP in black and white, one bit a pixel: with green subtracted from red and blue those are always 0, and a
 * code of a single symbol takes no bits.
 */
export function webp({ width, height, data }) {
  const out = Buffer.alloc(64 + Math.ceil(width * height / 8));
  let at = 0;
  const put = (value, bits) => {
    for (let bit = 0; bit < bits; bit++, at++) if ((value >> bit) & 1) out[at >> 3] |= 1 << (at & 7);
  };
  put(0x2f, 8);
  put(width - 1, 14);
  put(height - 1, 14);
  put(0, 4); // no alpha, version 0
  put(1, 1); // a transform follows:
  put(2, 2); // subtract green
  put(0, 1); // no other
  put(0, 1); // no cache of colours
  put(0, 1); // one set of codes for the whole image
  const symbols = (...values) => {
    put(1, 1); // simple
    put(values.length - 1, 1);
    put(1, 1); // of eight bits
    for (const value of values) put(value, 8);
  };
  symbols(0, 255); // green
  symbols(0); // red
  symbols(0); // blue
  symbols(255); // alpha
  symbols(0); // distance
  for (let i = 0; i < width * height; i++, at++) if (data[i] > 127) out[at >> 3] |= 1 << (at & 7);
  const chunk = out.subarray(0, (at + 7) >> 3);
  const padded = chunk.length + (chunk.length & 1);
  const header = Buffer.alloc(20);
  header.write("RIFF", 0);
  header.writeUInt32LE(12 + padded, 4);
  header.write("WEBPVP8L", 8);
  header.writeUInt32LE(chunk.length, 16);
  return Buffer.concat([header, chunk, Buffer.alloc(padded - chunk.length)]);
}
