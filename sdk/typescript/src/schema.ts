// Standard Schema (https://standardschema.dev), which zod, valibot, arktype and others keep to. The types are written out here, so that the package has no dependencies.
import { InvalidPayload } from "./errors.js";

export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema: zod 4.2, arktype 2.2. */
    readonly jsonSchema?: { readonly input: (options: { target: string }) => Record<string, unknown> };
  };
}

type Validated<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type InputOf<Schema> = Schema extends StandardSchemaV1<infer Input, any> ? Input : never;
export type OutputOf<Schema> = Schema extends StandardSchemaV1<any, infer Output> ? Output : never;

/** The payload as its schema gives it, or InvalidPayload. Without a schema it is the payload itself. */
export function validated(schema: StandardSchemaV1 | undefined, kind: string, payload: unknown): unknown {
  if (!schema) return payload;
  const result = schema["~standard"].validate(payload);
  return result instanceof Promise ? result.then((value) => outputOf(kind, value)) : outputOf(kind, result);
}

function outputOf(kind: string, result: Validated<unknown>): unknown {
  if (!result.issues) return result.value;
  const [{ message, path = [] }] = result.issues as readonly [Issue];
  const field = path.map((part) => `/${String(typeof part === "object" ? part.key : part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  const error = new InvalidPayload("GM011", `the payload of ${kind} does not fit${field && ` at ${field}`}: ${message}`, { details: field && `field ${field}` });
  error.field = field || null;
  throw error;
}
