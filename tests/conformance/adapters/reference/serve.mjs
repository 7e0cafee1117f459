// Being invoked: verify, claim once, run, settle, answer.
import { createHmac, timingSafeEqual } from "node:crypto";
import http from "node:http";

import { attempt, call, knows, settle } from "./protocol.mjs";

const keys = process.env.INVOKE_SECRET.split(" ").map((secret) => Buffer.from(secret.replace(/^whsec_/, ""), "base64"));

function isSigned({ "webhook-id": id, "webhook-timestamp": at, "webhook-signature": given }, body) {
  if (!id || !/^\d+$/.test(at ?? "") || !given || Math.abs(Date.now() / 1000 - Number(at)) > 300) return false;
  const signatures = given.split(" ").map((signature) => Buffer.from(signature));
  return keys.some((key) => {
    const good = Buffer.from(`v1,${createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest("base64")}`);
    return signatures.some((signature) => signature.length === good.length && timingSafeEqual(signature, good));
  });
}

async function invoked({ invocation, queue, batch, seconds, kinds }) {
  const until = Date.now() + seconds * 1000;
  const known = kinds?.filter(knows);
  if (known?.length === 0) return { claimed: 0 };
  const worker = `edge-${invocation}`;
  const { value: jobs } = await call("claim_jobs", { p_worker: worker, p_queues: [queue], p_max: batch, p_invocation: invocation,
    ...(known && known.length < kinds.length && { p_kinds: known }) }, { until });
  if (jobs.length === 0) return { claimed: 0, accepted: 0, lost: 0 };
  const longest = Math.max(seconds - 5, seconds / 2) * 1000;
  const outcomes = await Promise.all(jobs.map((job) => attempt(job, { worker, signal: new AbortController().signal, logs: [] }, longest)));
  const settled = await settle(worker, outcomes.filter(Boolean), { invocation, until });
  const lost = settled.filter(({ status }) => status === "lost").length;
  return { claimed: jobs.length, accepted: settled.length - lost, lost };
}

http.createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces);
  const answer = (status, value) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  if (!isSigned(request.headers, body)) return answer(403, { code: "bad_signature" });
  try {
    answer(200, await invoked(JSON.parse(body)));
  } catch (error) {
    console.error(error);
    answer(500, { code: "internal" });
  }
}).listen(Number(process.env.PORT), "127.0.0.1");
