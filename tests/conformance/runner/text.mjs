// The matrix as text: rows are scenarios, columns are adapters.
const MARK = { passed: "✓", failed: "✗", "other mode": "", "n/a": "n/a" };

export function matrixText(cells) {
  const adapters = [...new Map(cells.map(({ adapter }) => [adapter.name, adapter])).values()];
  const rows = grouped(cells);
  const head = adapters.map((_, at) => String.fromCharCode(65 + at));
  const byName = new Map();
  for (const [scenario, some] of rows) byName.set(scenario.name, { scenario, cells: [...(byName.get(scenario.name)?.cells ?? []), ...some] });
  const width = Math.max(...[...byName.keys()].map((name) => name.length));
  const lines = [...adapters.map(({ column }, at) => `${head[at]}  ${column}`), "", `${" ".repeat(width)}  ${head.map((letter) => letter.padStart(3)).join(" ")}`];
  let rule = null;
  const reasons = new Map();
  for (const { scenario, cells: row } of byName.values()) {
    if (scenario.rule !== rule) lines.push(`── ${rule = scenario.rule}`);
    const marks = adapters.map((adapter) => {
      const cell = row.find((one) => one.adapter.name === adapter.name);
      if (cell?.verdict === "n/a") reasons.set(`${adapter.column}: ${cell.reason}`, (reasons.get(`${adapter.column}: ${cell.reason}`) ?? 0) + 1);
      return MARK[cell?.verdict ?? "other mode"].padStart(3);
    });
    lines.push(`${scenario.name.padEnd(width)}  ${marks.join(" ")}`.trimEnd());
  }
  const count = (verdict, adapter) => cells.filter((cell) => cell.verdict === verdict && cell.adapter.name === adapter.name).length;
  lines.push("", ...adapters.map((adapter) => `${adapter.column}: ${count("passed", adapter)} passed, ${count("failed", adapter)} failed, ${count("n/a", adapter)} n/a`));
  if (reasons.size > 0) lines.push("", "n/a:", ...[...reasons].map(([reason, times]) => `  ${reason} (${times})`));
  return lines.join("\n");
}

function grouped(cells) {
  const groups = new Map();
  for (const cell of cells) groups.set(cell.scenario, [...(groups.get(cell.scenario) ?? []), cell]);
  return groups;
}
