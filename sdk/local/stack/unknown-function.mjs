// Which function a path names, and the answer for a name that no function has. Runs in Node and inside workerd.

/** The name in /functions/v1/NAME or /functions/v1/NAME/…, exactly as it was sent; undefined for any other path. */
export function nameOf(pathname) {
  return /^\/functions\/v1\/([^/?]+)(?=[/?]|$)/.exec(pathname)?.[1];
}

/** The problem of a name that no function has, in the form of the functions' own problems (docs/errors.md). */
export function unknownFunction(correlationId) {
  const correlation_id = /^[\w.:-]{1,128}$/.test(correlationId ?? "") ? correlationId : crypto.randomUUID();
  return {
    status: 404,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store", "x-content-type-options": "nosniff",
      "x-correlation-id": correlation_id },
    body: JSON.stringify({ type: "urn:gristmill:problem:not_found", title: "Not found", status: 404, code: "not_found",
      detail: "There is no function of this name.", correlation_id }),
  };
}
