interface Traced {
    id: string;
    attempt: number;
    traceparent?: string | null;
}
export declare const spanName: ({ id, attempt }: Traced) => string;
/** The id of an attempt's span: the first 8 bytes of SHA-256, in hex. */
export declare function digestStart(job: Traced): Promise<string>;
/** A traceparent for the span of an attempt. */
export declare function traceparentOf({ id, traceparent }: Traced, span: string): string;
export {};
