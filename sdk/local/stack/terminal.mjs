// A process whose terminal was closed.
import fs from "node:fs";

/** What is written to a terminal that is gone must not be an error that ends us before the parts. */
export function outliveTerminal() {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}

/** Before the end of such a process: Node resets the terminal when it ends, and crashes where there is none any more. */
export function leaveTerminal() {
  for (const descriptor of [0, 1, 2]) {
    fs.closeSync(descriptor);
    fs.openSync("/dev/null", "r+");
  }
}
