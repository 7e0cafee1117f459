// The secrets of one local stack, made once and kept with its data, and the tokens signed with them.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { SignJWT } from "jose";

/** Reads the secrets of a stack, or makes them. */
export function secrets(file) {
  // A stack that is older than one of its secrets gets that one.
  const kept = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
  const made = {
    postgresPassword: randomBytes(18).toString("base64url"),
    authenticatorPassword: randomBytes(18).toString("base64url"),
    jwtSecret: randomBytes(48).toString("base64url"),
    invokeSecret: `whsec_${randomBytes(32).toString("base64")}`,
    alertSecret: `whsec_${randomBytes(32).toString("base64")}`,
    healthToken: randomBytes(24).toString("base64url"),
    metricsToken: randomBytes(24).toString("base64url"),
    filesSecret: randomBytes(32).toString("base64url"),
    consoleKey: randomBytes(32).toString("base64url"),
    ...kept,
  };
  fs.writeFileSync(file, JSON.stringify(made, null, 2), { mode: 0o600 });
  return made;
}

/** A token as Supabase would issue it: a role, and a user where there is one. */
export function token(jwtSecret, { role, sub, expiresIn = "10y", ...claims }) {
  return new SignJWT({ role, ...(sub && { sub }), aud: "authenticated", ...claims })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuedAt()
    .setExpirationTime(expiresIn)
    .sign(new TextEncoder().encode(jwtSecret));
}
