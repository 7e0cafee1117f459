// Writes deploy/compose/.env with fresh secrets, once. Nothing is printed, and a file that exists is never changed.
import { createHmac, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const file = process.argv[2] ?? path.join(path.dirname(fileURLToPath(import.meta.url)), ".env");
const jwtSecret = randomBytes(48).toString("base64url");

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const tenYears = 10 * 365 * 24 * 3600;

/** A token as the gateway takes it: HS256, with an end. */
function token(role) {
  const now = Math.floor(Date.now() / 1000);
  const signed = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded({ role, iat: now, exp: now + tenYears })}`;
  return `${signed}.${createHmac("sha256", jwtSecret).update(signed).digest("base64url")}`;
}

const values = {
  // Hexadecimal, because both stand in a URL.
  POSTGRES_PASSWORD: randomBytes(24).toString("hex"),
  AUTHENTICATOR_PASSWORD: randomBytes(24).toString("hex"),
  JWT_SECRET: jwtSecret,
  ANON_KEY: token("anon"),
  SERVICE_ROLE_KEY: token("service_role"),
  // The functions get this one as INVOKE_SECRET.
  INVOKE_SECRET: `whsec_${randomBytes(32).toString("base64")}`,
};

try {
  fs.writeFileSync(file, Object.entries(values).map(([name, value]) => `${name}=${value}\n`).join(""), { flag: "wx", mode: 0o600 });
} catch (error) {
  if (error.code !== "EEXIST") throw error;
  console.error(`${file} exists and stays as it is. To get new secrets, remove it first.`);
  process.exit(1);
}
console.log(`wrote ${file}`);
