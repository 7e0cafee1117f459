// Draws nodes and arrows as text, as a Mermaid diagram for docs, or for Graphviz.

/**
 * @param {{name: string, label: string, group: string, about?: string}[]} nodes
 * @param {{from: string, to: string, isUp?: boolean, count?: number}[]} arrows
 */
export const drawings = {
  text(nodes, arrows) {
    const width = Math.max(...nodes.map((node) => node.label.length));
    return nodes.map((node) => {
      const uses = arrows.filter((arrow) => arrow.from === node.name)
        .map(({ to, isUp, count }) => `${to}${count ? ` ${count}` : ""}${isUp ? " UP" : ""}`);
      const line = `${node.label.padEnd(width)}  ${uses.length > 0 ? `uses ${uses.join(", ")}` : "uses nothing of ours"}`;
      return node.about ? `${line}\n  ${node.about}` : line;
    }).join("\n");
  },

  mermaid(nodes, arrows) {
    const id = (name) => name.replace(/\W/g, "_");
    const groups = [...new Set(nodes.map((node) => node.group))];
    return [
      "graph TD",
      ...groups.flatMap((group) => [
        `  subgraph ${group}`,
        ...nodes.filter((node) => node.group === group).map((node) => `    ${id(node.name)}["${node.label}"]`),
        "  end",
      ]),
      ...arrows.map(({ from, to, isUp }) => `  ${id(from)} ${isUp ? "-. up .->" : "-->"} ${id(to)}`),
    ].join("\n");
  },

  dot(nodes, arrows) {
    return [
      "digraph gristmill {",
      "  node [shape=box];",
      ...nodes.map((node) => `  ${JSON.stringify(node.name)} [label=${JSON.stringify(node.label)}];`),
      ...arrows.map(({ from, to, isUp }) => `  ${JSON.stringify(from)} -> ${JSON.stringify(to)}${isUp ? " [color=red]" : ""};`),
      "}",
    ].join("\n");
  },
};
