// Standard Schema (https://standardschema.dev), which zod, valibot, arktype and others keep to. The types are written out here, so that the package has no dependencies.
import { InvalidPayload } from "./errors.js";
/** The payload as its schema gives it, or InvalidPayload. Without a schema it is the payload itself. */
export function validated(schema, kind, payload) {
    if (!schema)
        return payload;
    const result = schema["~standard"].validate(payload);
    return result instanceof Promise ? result.then((value) => outputOf(kind, value)) : outputOf(kind, result);
}
function outputOf(kind, result) {
    if (!result.issues)
        return result.value;
    const [{ message, path = [] }] = result.issues;
    const field = path.map((part) => `/${String(typeof part === "object" ? part.key : part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
    const error = new InvalidPayload("GM011", `the payload of ${kind} does not fit${field && ` at ${field}`}: ${message}`, { details: field && `field ${field}` });
    error.field = field || null;
    throw error;
}
