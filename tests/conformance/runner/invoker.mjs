// Sends invocations as Postgres does, and as somebody does who may not.
import { createHmac, randomBytes } from "node:crypto";

function signature(secret, id, at, body) {
  return `v1,${createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64")).update(`${id}.${at}.${body}`).digest("base64")}`;
}

const foreign = () => `whsec_${randomBytes(24).toString("base64")}`;

/** The headers and the body of an invocation, signed in one of the ways that scenarios name. */
export function signed(way, [first, second], invocation) {
  const id = invocation.invocation;
  let at = Math.floor(Date.now() / 1000);
  let body = JSON.stringify(invocation);
  if (way === "stale") at -= 330;
  if (way === "early") at += 330;
  const own = signature(first, id, at, body);
  const signatures = {
    good: own, stale: own, early: own,
    second_secret: signature(second, id, at, body),
    several: `${signature(foreign(), id, at, body)} v1a,bm90IG91cnM= ${own}`,
    forged: signature(foreign(), id, at, body),
    other_version: own.replace("v1,", "v2,"),
    altered_body: own, unsigned: null, no_id: own, no_timestamp: own,
    other_id: signature(first, "00000000-0000-7000-8000-000000000000", at, body),
  };
  if (!(way in signatures)) throw new Error(`there is no way of signing ${way}`);
  if (way === "altered_body") body = body.replace(/"batch":\d+/, '"batch":999');
  const headers = { "content-type": "application/json", "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": signatures[way] };
  if (way === "unsigned") delete headers["webhook-signature"];
  if (way === "no_id") delete headers["webhook-id"];
  if (way === "no_timestamp") delete headers["webhook-timestamp"];
  return { headers, body };
}

/** Sends it. As for Postgres, an invocation that is not answered within its time is lost. */
export async function send(url, { headers, body }, seconds) {
  const answer = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(seconds * 1000) }).catch((error) => {
    throw error.name === "TimeoutError" ? new Error(`the invocation was not answered within ${seconds} s`) : error;
  });
  const text = await answer.text();
  let json = null;
  try { json = JSON.parse(text); } catch { /* an answer need not be JSON */ }
  return { status: answer.status, text, json };
}
