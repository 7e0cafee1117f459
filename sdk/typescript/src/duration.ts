/** A length of time: a number of seconds, or a number with a unit: `"500ms"`, `"30s"`, `"5m"`, `"2h"`, `"1d"`, `"1w"`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d" | "w"}`;

const UNITS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** The length in seconds. */
export function seconds(duration: Duration): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|[smhdw])$/.exec(typeof duration === "number" ? `${duration}s` : duration) ?? [];
  if (!unit) throw new TypeError(`"${duration}" is no duration like 30, "500ms", "5m"`);
  return Number(number) * UNITS[unit]!;
}
