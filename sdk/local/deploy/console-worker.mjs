// The console on Cloudflare: a worker that serves the page's files and nothing else. The page calls the RPCs of its own address, with the operator's token.
// `gristmill deploy` puts PAGE before this text: {files: {name: {type, etag, text}}, headers}, as `gristmill console --write` has written them.
/* global PAGE */
const PLACE = /^\/(?:functions\/v1\/)?console(\/[^/]*)?$/;

export default {
  fetch(request) {
    const url = new URL(request.url);
    const [, rest] = PLACE.exec(url.pathname) ?? [, "/?"];
    // The page's own paths are relative: they need the slash.
    if (rest === undefined) return new Response(null, { status: 308, headers: { location: `${url.pathname}/`, ...PAGE.headers } });
    const file = PAGE.files[rest.slice(1) || "index.html"];
    if (!file) return new Response("There is nothing at this path.\n", { status: 404, headers: { ...PAGE.headers, "content-type": "text/plain; charset=utf-8" } });
    if (!["GET", "HEAD"].includes(request.method)) return new Response("The console's files are only read.\n", { status: 405, headers: { ...PAGE.headers, allow: "GET, HEAD", "content-type": "text/plain; charset=utf-8" } });
    const headers = { ...PAGE.headers, "content-type": file.type, etag: file.etag };
    // Cloudflare weakens the tag of what it has compressed.
    const known = request.headers.get("if-none-match")?.split(",").some((tag) => tag.trim().replace(/^W\//, "") === file.etag);
    return known ? new Response(null, { status: 304, headers }) : new Response(request.method === "HEAD" ? null : file.text, { headers });
  },
};
