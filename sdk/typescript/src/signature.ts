// Standard Webhooks: whether Postgres has sent a request.

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/**
 * Whether one of the signatures in the headers was made with one of the secrets, within the last 300 s.
 * @param secrets one or several `whsec_…`, separated by blanks, while a key is changed
 */
export async function isSigned(headers: Headers, body: Uint8Array, secrets: string, now = Date.now()): Promise<boolean> {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => headers.get(`webhook-${name}`));
  if (!id || !signatures || !/^\d+$/.test(timestamp ?? "") || Math.abs(now / 1000 - Number(timestamp)) > 300) return false;
  const signed = new Uint8Array([...new TextEncoder().encode(`${id}.${timestamp}.`), ...body]);
  let isGood = false;
  for (const secret of secrets.split(" ").filter(Boolean)) {
    const key = await crypto.subtle.importKey("raw", bytesOf(secret.replace("whsec_", "")), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    // Each signature in the header costs two hashes: a sender that repeats them has to stop somewhere.
    for (const signature of signatures.split(" ").slice(0, 20)) {
      // WebCrypto compares in constant time.
      if (/^v1,[\w+/]{43}=$/.test(signature)) isGood = (await crypto.subtle.verify("HMAC", key, bytesOf(signature.slice(3)), signed)) || isGood;
    }
  }
  return isGood;
}
