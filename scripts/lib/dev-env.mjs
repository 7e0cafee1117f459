// ./scripts/dev --env: the running stack's addresses and keys, for `eval` in a shell.
import path from "node:path";

import { secrets, token } from "../../sdk/local/stack/keys.mjs";
import { checkoutState } from "../../sdk/local/stack/paths.mjs";
import { runningSupervisor } from "../../sdk/local/stack/registry.mjs";

const folder = path.join(checkoutState, "dev");
const running = runningSupervisor(folder);
if (!running) {
  console.error("error: the development stack is not running\n  start it with: ./scripts/dev");
  process.exit(1);
}
const { jwtSecret, consoleKey } = secrets(path.join(folder, "secrets.json"));
const variables = {
  GRISTMILL_URL: running.url,
  GRISTMILL_DATABASE_URL: running.databaseUrl,
  GRISTMILL_ANON_KEY: await token(jwtSecret, { role: "anon" }),
  GRISTMILL_SERVICE_KEY: await token(jwtSecret, { role: "service_role" }),
  // One made-up user, always the same: what it submits, it sees again.
  GRISTMILL_USER_TOKEN: await token(jwtSecret, { role: "authenticated", sub: "00000000-0000-4000-8000-000000000001" }),
  GRISTMILL_CONSOLE_LINK: `${running.url}/console/#key=${consoleKey}`,
};
for (const [name, value] of Object.entries(variables)) console.log(`export ${name}='${value}'`);
