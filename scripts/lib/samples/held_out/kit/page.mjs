// Lays out the pages of a held-out document and collects the facts that stand on each page.

const WIDTHS = {};
for (const [letters, width] of [["ijl", 222], [" !,./:;I[\\]ft", 278], ["()-r`", 333], ["'", 191], ["|", 260], ["\"", 355], ["*", 389],
  ["Jckszvxy", 500], ["#$0123456789?_Labdeghnopqu", 556], ["+<=>~", 584], ["FTZ", 611], ["&ABEKPSVXY", 667],
  ["CDHNRUw", 722], ["GOQ", 778], ["Mm", 833], ["%", 889], ["W", 944], ["@", 1015]]) {
  for (const letter of letters) WIDTHS[letter] = width;
}

/** The width of a text in points, by the metrics of Helvetica. */
export const widthOf = (text, size, bold = false) =>
  [...text].reduce((sum, letter) => sum + (WIDTHS[letter] ?? 556), 0) * size / 1000 * (bold ? 1.08 : 1);

/** Breaks a text into lines that fit a width. */
export function wrap(text, size, width, bold = false) {
  const lines = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${word}`, size, bold) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A document being written from top to bottom. A new page begins when the next block does not fit. */
export class Paper {
  constructor({ left = 56, right = 556, top = 56, bottom = 732, size = 10, leading = 1.45, header = null, footer = null } = {}) {
    Object.assign(this, { left, right, top, bottom, size, leading, header, footer, facts: [], pages: [[]], y: top, last: Infinity, isColumn: false });
  }

  get page() { return this.pages.length; }

  need(height) {
    if (this.isColumn || this.y + height <= this.bottom) return;
    this.turn();
  }

  turn() {
    this.pages.push([]);
    this.last = Infinity;
    this.y = this.top;
    if (this.header) this.header(this, this.page);
  }

  put(x, text, style = {}) {
    if (/[^\x20-\x7e\xa0-\xff]/.test(text)) throw new Error(`This text has a letter that the PDF writer cannot write: ${text}`);
    if (text !== "") this.pages.at(-1).push({ x, y: Math.round(this.y * 10) / 10, text, size: style.size ?? this.size, ...(style.bold && { bold: true }) });
    return this;
  }

  gap(points) { this.y += points; return this; }

  // Letters that are larger than those of the line above need more room.
  grow(size) {
    if (size > this.last) this.y += (size - this.last) * 0.9;
    this.last = size;
  }

  line(text, style = {}) { return this.row([style.x ?? this.left], [text], style); }

  row(columns, cells, style = {}) {
    const size = style.size ?? this.size;
    this.need(size);
    this.grow(size);
    cells.forEach((cell, i) => { if (cell !== "" && cell !== null && cell !== undefined) this.put(columns[i], String(cell), { size, bold: style.bold }); });
    return this.gap(style.advance ?? size * this.leading);
  }

  /** Wrapped text that stays on one page. The first line may begin further left than the others. */
  prose(text, style = {}) {
    const size = style.size ?? this.size, x = style.x ?? this.left, hang = style.hang ?? 0;
    const lines = wrap(text, size, (style.right ?? this.right) - x - hang, style.bold);
    const step = size * this.leading;
    this.need(step * lines.length - (step - size));
    this.grow(size);
    lines.forEach((line, i) => { this.put(i ? x + hang : x, line, { size, bold: style.bold }); this.gap(step); });
    return this;
  }

  heading(text, style = {}) {
    const size = style.size ?? this.size + 1.5;
    this.need(size + 46);
    this.gap(style.before ?? 8);
    this.last = size;
    this.put(style.x ?? this.left, text, { size, bold: true });
    if (style.rule) this.pages.at(-1).push({ line: [this.left, this.y + 4, this.right] });
    return this.gap(size * 1.5);
  }

  centre(text, style = {}) {
    const size = style.size ?? this.size;
    return this.line(text, { ...style, x: Math.round((this.left + this.right - widthOf(text, size, style.bold)) / 2) });
  }

  rule(after = 14) {
    this.pages.at(-1).push({ line: [this.left, this.y - this.size * 0.5, this.right] });
    return this.gap(after);
  }

  /** Writes blocks side by side; they may not be longer than the rest of the page. */
  columns(...blocks) {
    const { left, right, y } = this, gutter = 20;
    const width = (right - left - gutter * (blocks.length - 1)) / blocks.length;
    let lowest = y;
    this.isColumn = true;
    blocks.forEach((block, i) => {
      Object.assign(this, { y, last: Infinity, left: left + i * (width + gutter), right: left + i * (width + gutter) + width });
      block();
      lowest = Math.max(lowest, this.y);
    });
    Object.assign(this, { left, right, y: lowest, isColumn: false });
    return this;
  }

  fact(kind, name, { also = [], value = {}, status = "current" } = {}) {
    const others = [...new Set(also)].filter((other) => other && other.toLowerCase() !== name.toLowerCase());
    this.facts.push({ kind, name, ...(others.length && { also: others }), value, status, page: this.page });
    return this;
  }

  patient(person, extra = {}) {
    return this.fact("patient", person.name, { also: person.also, value: { birth_date: person.birth.iso, sex: person.sex, ...extra } });
  }

  provider(person, role) { return this.fact("provider", person.name, { also: person.also, value: { role } }); }

  date(name, date, also = []) { return this.fact("date", name, { also, value: { date: date.iso } }); }

  condition(condition, status = "current") { return this.fact("condition", condition.name, { also: condition.also, status }); }

  medication(order, status = "current", extra = {}) {
    return this.fact("medication", order.name, { also: order.also, status, value: { ...order.value, ...extra } });
  }

  lab(lab) { return this.fact("lab", lab.name, { also: lab.also, value: lab.fact }); }

  vital(vital) { return this.fact("vital_sign", vital.name, { also: vital.also, value: vital.value }); }

  allergy(allergy, status = "current") {
    return this.fact("allergy", allergy.name, { also: allergy.also, status, value: allergy.reaction ? { reaction: allergy.reaction } : {} });
  }

  noAllergies(written) { return this.fact("allergy", "no known allergies", { also: [written, "NKDA", "NKA", "no known drug allergies", "nil known"] }); }

  procedure(procedure, status = "current", date = null) {
    return this.fact("procedure", procedure.name, { also: procedure.also, status, value: date ? { date: date.iso ?? date } : {} });
  }

  finding(finding, status = "current") { return this.fact("finding", finding.name, { also: finding.also, status }); }

  appointment(date, { time = null, who = null, also = [] } = {}) {
    return this.fact("appointment", "follow-up", { status: "planned", value: { date: date.iso, ...(time && { time }), ...(who && { with: who }) },
      also: ["follow-up appointment", "appointment", "follow up", "review", "clinic", "next visit", "return visit", "outpatient appointment", who, ...also] });
  }

  done(language = "en") {
    if (this.footer) {
      this.pages.forEach((items, i) => {
        const y = this.y;
        const page = this.pages;
        this.pages = [items];
        this.y = 756;
        this.isColumn = true; // no page may turn here
        this.footer(this, i + 1, page.length);
        this.isColumn = false;
        this.pages = page;
        this.y = y;
      });
    }
    return { pages: this.pages, facts: this.facts, language };
  }
}
