import { percentile } from "../progress.mjs";

export const median = (values) => percentile(values, 0.5);
export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
/** How the last third compares with the first: 1 is flat. */
export const drift = (values) => {
  const third = Math.max(1, Math.floor(values.length / 3));
  return mean(values.slice(-third)) / mean(values.slice(0, third));
};
