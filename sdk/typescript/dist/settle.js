/** The most outcomes that one call takes. */
export const MOST = 1000;
// The caller was refused, not the outcomes: they would be refused one by one as well.
export const isAboutCaller = (error) => [401, 403, 404].includes(error.status);
/** Settles outcomes in one call; one by one when Postgres refuses them together, so that one bad outcome does not hold back the others. */
export async function settle(rpc, worker, outcomes, options, invocation) {
    const call = (some, isLast) => rpc.call("settle_jobs", { p_worker: worker, p_outcomes: some, ...(isLast && invocation && { p_invocation: invocation }) }, { ...options, repeatable: true });
    try {
        return await call(outcomes, true);
    }
    catch (error) {
        if (error.retryable || isAboutCaller(error) || options.signal?.aborted)
            throw error;
    }
    const settled = [];
    for (const outcome of outcomes) {
        const { id, attempt } = outcome;
        for (let next = outcome; next;) {
            try {
                settled.push(...(await call([next], outcome === outcomes.at(-1))));
                break;
            }
            catch (error) {
                const { retryable, message } = error;
                if (retryable || options.signal?.aborted)
                    throw error;
                if (next.error?.type === "outcome_refused")
                    console.error(`${id} could not be settled:`, error);
                // First without its log: a line of it may be what Postgres does not take.
                next = next.logs ? { ...next, logs: undefined } : next.error?.type === "outcome_refused" ? undefined
                    : { id, attempt, outcome: "dead", error: { type: "outcome_refused", message: `the outcome "${outcome.outcome}" was refused: ${message}`.slice(0, 2000), retryable: false } };
            }
        }
    }
    return settled;
}
