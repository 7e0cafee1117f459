// Numbers, times and sizes as people read them. Every relative time is shown with the exact one on hover.
const UNITS = /** @type {[string, number][]} */ ([["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]]);
const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const exactly = new Intl.DateTimeFormat(undefined, {
  year: "numeric", month: "short", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hour12: false, timeZoneName: "short",
});

export const here = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** 12,345 */
export const number = (n) => (n === null || n === undefined ? "–" : typeof n === "number" ? whole.format(n) : String(n));
/** 12.3K from ten thousand on: columns stay narrow. */
export const compact = (n) => (n === null || n === undefined ? "–" : Math.abs(n) < 10_000 ? whole.format(n) : short.format(n));
export const plural = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;

/** 0.0437 becomes 4.4%; what is not nothing is never shown as 0%. */
export function percent(share) {
  if (share === null || share === undefined) return "–";
  const value = Number(share) * 100;
  if (value > 0 && value < 0.1) return "<0.1%";
  return `${value >= 10 || value === 0 ? Math.round(value) : value.toFixed(1)}%`;
}

/** Milliseconds: 840 ms, 3.2 s, 4 min 5 s, 2 h 3 min, 5 d 4 h. */
export function duration(ms) {
  if (ms === null || ms === undefined || Number.isNaN(Number(ms))) return "–";
  const value = Math.max(0, Number(ms));
  if (value < 1000) return `${Math.round(value)} ms`;
  const s = value / 1000;
  if (s < 60) return `${s < 10 ? s.toFixed(1).replace(/\.0$/, "") : Math.floor(s)} s`;
  const [big, small, of, per] = s < 3600 ? ["min", "s", 60, 1] : s < 86_400 ? ["h", "min", 3600, 60] : ["d", "h", 86_400, 3600];
  const first = Math.floor(s / of);
  const rest = Math.floor((s % of) / per);
  return rest && first < 100 ? `${first} ${big} ${rest} ${small}` : `${first} ${big}`;
}

export const seconds = (s) => (s === null || s === undefined ? "–" : duration(Number(s) * 1000));

/** 5 min ago, in 3 s. */
export function ago(at, now) {
  const difference = (new Date(at).getTime() - now) / 1000;
  if (Number.isNaN(difference)) return String(at);
  const size = Math.abs(difference);
  if (size < 1.5) return "now";
  const [unit, length] = UNITS.find(([, least]) => size >= least) ?? UNITS[3];
  const text = `${Math.floor(size / length)} ${unit}`;
  return difference < 0 ? `${text} ago` : `in ${text}`;
}

export const exact = (at) => {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : exactly.format(date);
};

/** Wed 18 Nov, 19:04, in a zone. */
export function inZone(at, timeZone = here) {
  try {
    return new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hour12: false, timeZone }).format(new Date(at));
  } catch {
    return exact(at);
  }
}

export const clock = (at) => new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false }).format(new Date(at));

export function bytes(n) {
  if (n === null || n === undefined) return "–";
  let value = Number(n);
  for (const unit of ["B", "KB", "MB", "GB", "TB"]) {
    if (value < 1024 || unit === "TB") return `${value < 10 && unit !== "B" ? value.toFixed(1) : Math.round(value)} ${unit}`;
    value /= 1024;
  }
  return "–";
}

/** The head and the end of an id: UUIDs of one moment begin alike. */
export const shortId = (id) => (/^[0-9a-f]{8}-/i.test(id) && id.length === 36 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id);
/** snake_case as words. */
export const words = (name) => String(name).replace(/_/g, " ");
export const sentence = (name) => words(name).replace(/^./, (letter) => letter.toUpperCase());
