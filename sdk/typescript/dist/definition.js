// What register_jobs takes.
import { uniqueOf } from "./job.js";
import { snake } from "./names.js";
export function definitionOf(jobs, queues = []) {
    return {
        queues: queues.map(snake),
        kinds: jobs.map((one) => ("job" in one ? one.job : one)).map(({ kind, queue, schema, options: { description, maxAttempts, openToUsers, unique, jsonSchema = jsonSchemaOf(schema) } }) => snake({ kind, queue, description, maxAttempts, openToUsers, unique: uniqueOf(unique), schema: jsonSchema })),
    };
}
// Postgres checks these formats itself. Libraries add a pattern for each, which only says the same in a way that differs between regular expressions.
const FORMATS = ["date-time", "date", "uuid", "email", "uri"];
/** The JSON Schema that a library makes of its schema, or undefined when it makes none. */
function jsonSchemaOf(schema) {
    const json = schema?.["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
    return json && JSON.parse(JSON.stringify(json, (_, value) => {
        if (!value || typeof value.pattern !== "string" || !FORMATS.includes(value.format))
            return value;
        const { pattern: _pattern, ...rest } = value;
        return rest;
    }));
}
/** The definition with the function that serves the queues of its kinds, where none is named for a queue. */
export function servedBy({ queues, kinds }, served) {
    const others = [...new Set(kinds.map((kind) => kind["queue"]))].filter((queue) => !queues.some((one) => one["queue"] === queue));
    return { kinds, queues: [...queues, ...others.map((queue) => snake({ queue, servedBy: "function", ...served }))] };
}
