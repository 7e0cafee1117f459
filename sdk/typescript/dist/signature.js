// Standard Webhooks: whether Postgres has sent a request.
const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
/**
 * Whether one of the signatures in the headers was made with one of the secrets, within the last 300 s.
 * @param secrets one or several `whsec_…`, separated by blanks, while a key is changed
 */
export async function isSigned(headers, body, secrets, now = Date.now()) {
    const id = headers.get("webhook-id"), timestamp = headers.get("webhook-timestamp"), signatures = headers.get("webhook-signature");
    if (!id || !timestamp || !signatures || !/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > 300)
        return false;
    const head = new TextEncoder().encode(`${id}.${timestamp}.`);
    const signed = new Uint8Array(head.length + body.length);
    signed.set(head);
    signed.set(body, head.length);
    let isGood = false;
    for (const secret of secrets.split(/\s+/).filter(Boolean)) {
        const key = await crypto.subtle.importKey("raw", bytesOf(secret.replace(/^whsec_/, "")), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
        // Each signature in the header costs two hashes: a sender that repeats them has to stop somewhere.
        for (const signature of signatures.split(/\s+/).slice(0, 20)) {
            if (!/^v1,[A-Za-z0-9+/]{43}=$/.test(signature))
                continue;
            // WebCrypto compares in constant time.
            if (await crypto.subtle.verify("HMAC", key, bytesOf(signature.slice(3)), signed))
                isGood = true;
        }
    }
    return isGood;
}
