// Draws what a table cannot show: how the contenders stand side by side, and whether a rate decays.
const WIDTH = 900;
const PANEL = { height: 300, left: 70, right: 190, top: 40, bottom: 40 };
const COLOURS = ["#c2410c", "#1d4ed8", "#15803d", "#7e22ce", "#0f766e"];

/**
 * @param {{bars: {group: string, name: string, value: number}[],
 *   lines: {panel: string, name: string, values: number[]}[]}} plot  values: one a second
 * @returns {string} an SVG
 */
export function draw({ bars, lines }) {
  const panels = [];
  if (bars.length > 0) panels.push(barPanel(bars));
  for (const panel of new Set(lines.map((line) => line.panel))) panels.push(linePanel(panel, lines.filter((line) => line.panel === panel)));
  const body = panels.map((panel, at) => `<g transform="translate(0 ${at * PANEL.height})">${panel}</g>`).join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${panels.length * PANEL.height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="white"/>
${body}
</svg>
`;
}

const plotWidth = WIDTH - PANEL.left - PANEL.right;
const plotHeight = PANEL.height - PANEL.top - PANEL.bottom;
const toY = (value, most) => PANEL.top + plotHeight * (1 - value / most);

// Ratios differ by batch size far less than rates do, so that each group has its own scale: gristmill is 1.
function barPanel(bars) {
  const groups = [...new Set(bars.map(({ group }) => group))];
  const names = [...new Set(bars.map(({ name }) => name))];
  const most = Math.max(...bars.map(({ value }) => value)) * 1.1;
  const groupWidth = plotWidth / groups.length;
  const barWidth = (groupWidth * 0.8) / names.length;
  const shapes = bars.map(({ group, name, value }) => {
    const x = PANEL.left + groups.indexOf(group) * groupWidth + groupWidth * 0.1 + names.indexOf(name) * barWidth;
    const y = toY(value, most);
    return `<rect x="${fixed(x)}" y="${fixed(y)}" width="${fixed(barWidth * 0.9)}" height="${fixed(PANEL.top + plotHeight - y)}" fill="${COLOURS[names.indexOf(name)]}"/>` +
      `<text x="${fixed(x + barWidth * 0.45)}" y="${fixed(y - 4)}" text-anchor="middle">${value.toFixed(2)}</text>`;
  });
  const labels = groups.map((group, at) => text(PANEL.left + (at + 0.5) * groupWidth, PANEL.top + plotHeight + 18, group, "middle"));
  return [title("Lifecycle, jobs a second, gristmill = 1"), axis(most), legend(names), ...shapes, ...labels].join("\n");
}

function linePanel(heading, lines) {
  const most = Math.max(...lines.flatMap(({ values }) => values), 1) * 1.1;
  const longest = Math.max(...lines.map(({ values }) => values.length));
  const toX = (at) => PANEL.left + (plotWidth * at) / Math.max(1, longest - 1);
  const shapes = lines.map(({ values }, at) =>
    `<polyline fill="none" stroke="${COLOURS[at]}" stroke-width="1.5" points="${values.map((value, second) => `${fixed(toX(second))},${fixed(toY(value, most))}`).join(" ")}"/>`);
  return [title(heading), axis(most), legend(lines.map(({ name }) => name)), ...shapes,
    text(PANEL.left + plotWidth / 2, PANEL.top + plotHeight + 30, `seconds of load (0 to ${longest})`, "middle")].join("\n");
}

function axis(most) {
  const steps = [0, 0.25, 0.5, 0.75, 1].map((share) => share * most);
  return steps.map((value) => {
    const y = fixed(toY(value, most));
    return `<line x1="${PANEL.left}" x2="${PANEL.left + plotWidth}" y1="${y}" y2="${y}" stroke="#ddd"/>` +
      text(PANEL.left - 6, Number(y) + 4, most > 10 ? Math.round(value) : value.toFixed(2), "end");
  }).join("\n");
}

const legend = (names) => names.map((name, at) => {
  const y = PANEL.top + at * 20;
  const x = PANEL.left + plotWidth + 20;
  return `<rect x="${x}" y="${y}" width="12" height="12" fill="${COLOURS[at]}"/>${text(x + 18, y + 10, name, "start")}`;
}).join("\n");

const title = (words) => `<text x="${PANEL.left}" y="24" font-size="15" font-weight="bold">${words}</text>`;
const text = (x, y, words, anchor) => `<text x="${fixed(x)}" y="${fixed(y)}" text-anchor="${anchor}">${words}</text>`;
const fixed = (number) => Number(number).toFixed(1);
