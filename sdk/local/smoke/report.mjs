// What is shown and written: nothing in it is a secret, an id or personal data, whatever an answer had in it.

const SECRETS = /KEY|SECRET|TOKEN|PASSWORD|DATABASE_URL/;

/** A function that takes secrets out of a text. `learn` names one more. */
export function scrubber(env) {
  const known = new Set(Object.entries(env).filter(([name, value]) => SECRETS.test(name) && value?.length >= 8).map(([, value]) => value));
  const scrub = (text) => {
    let clean = String(text);
    // Longest first: one may be part of another.
    for (const secret of [...known].sort((one, other) => other.length - one.length)) clean = clean.replaceAll(secret, "[secret]");
    return clean
      .replace(/postgres(?:ql)?:\/\/\S+/g, "[database]")
      .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, "[token]")
      .replace(/\b(?:whsec_|sb_secret_|sb_publishable_|sbp_)[\w+/=-]+/g, "[secret]")
      .replace(/([?&](?:ticket|token|signature|key|apikey)=)[^&\s"]+/g, "$1[secret]")
      .replace(/[\w.+-]+@[\w-]+\.[\w.-]+/g, "[email]")
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "[id]");
  };
  scrub.learn = (secret) => known.add(secret);
  return scrub;
}

export function table(lines) {
  const width = Math.max(...lines.map(({ line }) => line.length));
  return lines.map(({ line, result, ms, detail }) => `  ${line.padEnd(width)}  ${result.padEnd(6)}  ${String(ms).padStart(7)} ms  ${detail}`.trimEnd()).join("\n");
}

const cell = (text) => String(text ?? "").replaceAll("|", "\\|").replaceAll("\n", " ");

export function markdown({ url, at, lines, latency, versions = {}, database }) {
  const rows = (header, list) => [`| ${header.join(" | ")} |`, `| ${header.map(() => "---").join(" | ")} |`, ...list.map((row) => `| ${row.map(cell).join(" | ")} |`)].join("\n");
  const parts = ["# Smoke test of a Gristmill deployment", `${url}, ${at}`, rows(["line", "result", "ms", "detail"], lines.map(({ line, result, ms, detail }) => [line, result, ms, detail]))];
  if (latency) {
    parts.push("## Latency", rows(["jobs", "from submitted to completed", "p50 ms", "p95 ms"],
      [[latency.jobs, "by the clock of Postgres", latency.inPostgres.p50, latency.inPostgres.p95], [latency.jobs, "as the caller sees it, looking every 50 ms", latency.seen.p50, latency.seen.p95]]));
  }
  if (Object.keys(versions).length > 0) parts.push("## Versions", rows(["function", "version"], Object.entries(versions)));
  if (database) parts.push("## Database", rows(["what", "is"], Object.entries(database)));
  return `${parts.join("\n\n")}\n`;
}
