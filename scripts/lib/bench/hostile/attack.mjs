// Starts the attacker: a signed-in user with nothing but a token, in a process of lowest priority, so that its own work takes nothing from
// anybody. Whatever becomes slow is the server's doing.
import { spawn } from "node:child_process";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("attacker.mjs", import.meta.url));

/** What an attacker can do; see attacker.mjs. */
export const ATTACKS = ["filters", "slow", "exports", "payloads", "jobs", "documents", "refreshes", "answers"];

/**
 * Starts an attacker with a user's token and waits until its documents are written and the attacks have begun.
 * `stop()` ends it and gives what was answered to it, {attack: {answer: times}}.
 */
export async function startAttack({ url, anonKey }, token, attacks) {
  const child = spawn("nice", ["-n", "19", process.execPath, program], {
    // It ends with its standard input, so it never outlives whoever started it.
    env: { ...process.env, HOSTILE: JSON.stringify({ url, anonKey, token, attacks }) }, stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.stdin.on("error", () => {}); // it has ended by itself
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.value !== "attacking") throw new Error("the attacker ended before it began");
  return {
    async stop() {
      child.stdin.write("stop\n");
      const { value } = await lines.next();
      child.kill("SIGKILL");
      await ended;
      return value ? JSON.parse(value) : {};
    },
  };
}
