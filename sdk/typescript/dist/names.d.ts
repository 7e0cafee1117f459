export declare const rename: (object: object, pattern: RegExp, to: (found: string) => string) => any;
export declare const snake: (options: object) => Record<string, unknown>;
export declare const camel: (row: object) => any;
