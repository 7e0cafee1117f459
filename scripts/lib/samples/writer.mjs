// Sets the text of a made-up document: lines, paragraphs, tables and columns, and beside each the facts that it states.

// Widths of Helvetica's letters from the space to the tilde, in thousandths of the size.
const WIDTHS = `278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015
667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333
556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584`.split(/\s/).map(Number);

/** How wide a text is, in points. Bold letters are a little wider, each by its own measure; 8 % is the most. */
export function widthOf(text, { size = 10.5, bold = false } = {}) {
  const units = [...text].reduce((sum, letter) => sum + (WIDTHS[letter.charCodeAt(0) - 32] ?? 556), 0);
  return units * size / 1000 * (bold ? 1.08 : 1);
}

/** What is wrong with how pages are set: text outside of the page, and text over text. */
export function faults(pages) {
  return pages.flatMap((items, p) => {
    const texts = items.filter((item) => item.text).map((item) => ({ ...item, right: item.x + widthOf(item.text, { size: item.size ?? 11, bold: item.bold }) }));
    const outside = texts.filter(({ x, y, right }) => x < 18 || right > 600 || y < 24 || y > 780).map(({ text }) => `page ${p + 1}: '${text}' is not on the page`);
    const over = texts.flatMap((one, at) => texts.slice(at + 1)
      .filter((other) => Math.abs(one.y - other.y) < 0.7 * Math.min(one.size ?? 11, other.size ?? 11) && one.x < other.right && other.x < one.right)
      .map((other) => `page ${p + 1}: '${one.text}' and '${other.text}' overlap`));
    return [...outside, ...over];
  });
}

export class Writer {
  constructor({ size = 10.5, lead = 15, left = 54, right = 558, top = 62, bottom = 742 } = {}) {
    Object.assign(this, { size, lead, left, right, top, bottom, y: top, pages: [[]], facts: [] });
  }

  /** Begins a page where `height` does not fit any more; `again` writes the head of the new one. */
  room(height, again = this.onPage) {
    if (this.y + height <= this.bottom) return this;
    this.pages.push([]);
    this.y = this.top;
    again?.call(this);
    return this;
  }

  put(x, text, style = {}) {
    if (text !== "") this.pages.at(-1).push({ x: Math.round(x * 10) / 10, y: Math.round(this.y * 10) / 10, text, size: this.size, ...style });
    return this;
  }

  down(by = this.lead) {
    this.y += by;
    return this;
  }

  line(text, style = {}) {
    this.room(this.lead);
    return this.put(this.left + (style.indent ?? 0), text, { size: style.size ?? this.size, bold: style.bold ?? false }).down(Math.max(this.lead, (style.size ?? 0) * 1.4));
  }

  heading(text, { size = 12, gap = 8 } = {}) {
    this.room(gap + this.lead * 3).down(gap);
    return this.put(this.left, text, { size, bold: true }).down(Math.max(this.lead, size * 1.4));
  }

  rule() {
    this.pages.at(-1).push({ line: [this.left, Math.round(this.y - this.lead + 5), this.right] });
    return this;
  }

  /** One row of a table; a cell that does not fit in its column goes on below. */
  row(columns, cells, style = {}) {
    const edges = [...columns.slice(1), this.right + 8];
    const lines = cells.map((cell, at) => wrap(String(cell ?? ""), edges[at] - columns[at] - 8, { size: this.size, ...style }));
    const height = Math.max(...lines.map(({ length }) => length));
    this.room(height * this.lead);
    for (let n = 0; n < height; n++, this.down()) for (const [at, column] of columns.entries()) this.put(column, lines[at][n] ?? "", style);
    return this;
  }

  paragraph(text, { indent = 0, hang = 0, after = 0, ...style } = {}) {
    const lines = wrap(text, this.right - this.left - indent - hang, { size: this.size, ...style });
    this.room(lines.length * this.lead);
    for (const [at, line] of lines.entries()) this.put(this.left + indent + (at > 0 ? hang : 0), line, style).down();
    return this.down(after);
  }

  /** Side by side, each in a column of its own width; goes on below the longest. */
  beside(shares, ...parts) {
    const { left, right, y } = this;
    const total = shares.reduce((sum, share) => sum + share, 0);
    let x = left;
    let lowest = y;
    for (const [at, part] of parts.entries()) {
      const width = (right - left) * shares[at] / total;
      Object.assign(this, { left: x, right: x + width - (at < parts.length - 1 ? 16 : 0), y });
      part(this);
      lowest = Math.max(lowest, this.y);
      x += width;
    }
    return Object.assign(this, { left, right, y: lowest });
  }

  /** Notes what the page says, beside what it is written by. */
  fact(kind, name, value = {}, { status = "current", ...rest } = {}) {
    this.facts.push({ kind, name, value, status, page: this.pages.length, ...rest });
    return this;
  }

  done(language = "en") {
    return { pages: this.pages, facts: this.facts, language };
  }
}

function wrap(text, width, style) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = lines.at(-1) === "" ? word : `${lines.at(-1)} ${word}`;
    if (widthOf(longer, style) <= width || lines.at(-1) === "") lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
