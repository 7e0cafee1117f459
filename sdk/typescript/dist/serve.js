// A function that Postgres invokes: make sure that Postgres is calling, claim a batch, run it, settle it.
import { Attempt, say } from "./attempt.js";
import { byKind } from "./job.js";
import { variables } from "./rpc.js";
import { settle } from "./settle.js";
import { isSigned } from "./signature.js";
import { digestStart } from "./trace.js";
const problem = (status, code, detail) => new Response(JSON.stringify({ code, status, detail }), { status, headers: { "Content-Type": "application/problem+json" } });
export function serve(handlers, { secret, env: given, onError = say }, connect) {
    const known = byKind(handlers);
    const answer = async (request, passed) => {
        if (request.method !== "POST")
            return problem(405, "method_not_allowed", "use POST");
        // What Deno passes in this place is no environment.
        const env = given ?? (passed && !("remoteAddr" in passed) ? passed : undefined);
        const { rpc } = connect(env);
        const secrets = secret ?? rpc.variable("INVOKE_SECRET");
        if (!secrets)
            return problem(500, "misconfigured", "INVOKE_SECRET is not set");
        const bytes = new Uint8Array(await request.arrayBuffer());
        if (!(await isSigned(request.headers, bytes, secrets, rpc.options.now?.())))
            return problem(403, "bad_signature", "only Postgres calls this function");
        const body = JSON.parse(new TextDecoder().decode(bytes));
        if (body.describe)
            return Response.json((await import("./definition.js")).definitionOf(handlers));
        try {
            return Response.json(await batch(rpc, body, env));
        }
        catch (error) {
            console.error(error);
            const { code = "internal", retryable = false } = error;
            return problem(retryable ? 503 : 500, code, "the invocation was not served");
        }
    };
    async function batch(rpc, { invocation, queue, batch, seconds, kinds }, env) {
        const begun = Date.now();
        const elapsed = () => (Date.now() - begun) / 1000;
        const mine = kinds?.filter((kind) => known.has(kind));
        const worker = `edge-${invocation}`;
        const jobs = mine?.length === 0 ? [] : await rpc.call("claim_jobs", {
            p_worker: worker, p_queues: [queue], p_max: batch, p_invocation: invocation,
            ...(mine && mine.length < kinds.length && { p_kinds: mine }),
        }, { repeatable: true, patience: (seconds * 1000) / 4 });
        const around = { env: () => env ?? variables(), onError, mill: (traceparent, correlationId) => connect(env, traceparent, correlationId).mill };
        // From the beginning of the invocation: a claim that took long leaves less.
        const most = Math.max(0.1, Math.max(seconds - 5, seconds / 2) - elapsed());
        const outcomes = await Promise.all(jobs.map(async (job) => {
            const span = await digestStart(job);
            return new Attempt(job, known.get(job.kind), around, () => span).run(most);
        }));
        const settled = jobs.length === 0 ? [] : await settle(rpc, worker, outcomes.filter((outcome) => outcome !== null), { patience: (seconds - elapsed()) * 1000 }, invocation);
        const accepted = settled.filter(({ status }) => status === "accepted").length;
        return { claimed: jobs.length, accepted, lost: settled.length - accepted };
    }
    return Object.assign(answer, { fetch: answer });
}
