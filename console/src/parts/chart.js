// A chart of bars over time: what went well, and what failed at its foot. Drawn in SVG by ourselves: uPlot took 23 KB gzipped of the 100 for this one chart.
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { compact, number } from "../lib/format.js";

const HEIGHT = 100; // of the drawing; it is stretched to its place
const STEP = 10;

/** The next round number above n. */
function above(n) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, n)));
  return [1, 2, 3, 4, 5, 6, 8, 10].map((factor) => factor * power).find((round) => round >= n && round >= 4) ?? 10 * power;
}

const minutes = (at) => new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hour12: false }).format(at);

/**
 * @param {object} props
 * @param {string} props.from  when the first bar begins
 * @param {number[]} props.good
 * @param {number[]} props.bad  none: only what is counted
 * @param {string} props.label
 * @param {string[]} [props.names]
 * @param {number} [props.step]  seconds that a bar stands for
 * @param {(at: Date) => string} [props.tick]  what stands below a bar
 */
export function Chart({ from, good, bad, label, names = ["Completed", "Failed"], step = 60, tick = minutes }) {
  const [at, setAt] = useState(-1);
  const count = Math.max(1, good.length);
  const top = above(Math.max(...good.map((n, index) => n + (bad[index] ?? 0)), 0));
  const y = (n) => (n / top) * (HEIGHT - 2);
  const time = (index) => new Date(new Date(from).getTime() + index * step * 1000);
  const total = (values) => values.reduce((sum, n) => sum + n, 0);
  const point = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    setAt(Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - box.left) / box.width) * count))));
  };
  const shown = at >= 0 && at < good.length;
  const ticks = Array.from({ length: 5 }, (_, index) => Math.round((index / 4) * (count - 1)));
  return html`<figure class="chart"><div class="chart-area"><div class="chart-levels num" aria-hidden="true"><span>${compact(top)}</span><span>${Number.isInteger(top / 2) ? compact(top / 2) : ""}</span><span>0</span></div>
    <div class="chart-box" onPointerMove=${point} onPointerLeave=${() => setAt(-1)}><svg viewBox=${`0 0 ${count * STEP} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${`${label}. ${names[0]}: ${number(total(good))}.${bad.length ? ` ${names[1]}: ${number(total(bad))}.` : ""}`}>
      ${shown && html`<rect class="chart-at" x=${at * STEP} y="0" width=${STEP} height=${HEIGHT} />`}
      ${good.map((n, index) => {
        const [high, low] = [y(n), y(bad[index] ?? 0)];
        return html`${n > 0 && html`<rect class="chart-good" x=${index * STEP + 1.2} y=${HEIGHT - low - high} width=${STEP - 2.4} height=${Math.max(high, 0.8)} />`}${low > 0 && html`<rect class="chart-bad" x=${index * STEP + 1.2} y=${HEIGHT - Math.max(low, 1.2)} width=${STEP - 2.4} height=${Math.max(low, 1.2)} />`}`;
      })}</svg></div>
    <div class="chart-times num" aria-hidden="true">${ticks.map((index) => html`<span>${tick(time(index))}</span>`)}</div></div>
    <figcaption class="legend"><span><i class="run" />${names[0]} <b class="num">${compact(shown ? good[at] : total(good))}</b></span>${bad.length > 0 && html`<span><i class="bad" />${names[1]} <b class="num">${compact(shown ? (bad[at] ?? 0) : total(bad))}</b></span>`}<span class="faint num">${shown ? tick(time(at)) : ""}</span></figcaption></figure>`;
}
