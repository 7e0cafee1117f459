/** A length of time: a number of seconds, or a number with a unit: `"500ms"`, `"30s"`, `"5m"`, `"2h"`, `"1d"`, `"1w"`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d" | "w"}`;
/** The length in seconds. */
export declare function seconds(duration: Duration): number;
