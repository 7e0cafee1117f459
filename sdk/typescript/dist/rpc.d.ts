export interface Options {
    /** Of the project: `https://….supabase.co`. By default SUPABASE_URL, then GRISTMILL_URL. */
    url?: string;
    /** The service key. By default SUPABASE_SERVICE_ROLE_KEY, then GRISTMILL_SERVICE_KEY. */
    key?: string;
    /** A user's token, for calls on behalf of that user. */
    token?: string | (() => string | Promise<string>);
    /** Where variables are read from: the `env` of a Cloudflare Worker. By default those of the process. */
    env?: unknown;
    fetch?: typeof fetch;
    /** Where the functions of `public` were installed into another schema. */
    schema?: string;
    /** Milliseconds for one call; 10,000 by default. */
    timeout?: number;
    /** The clock, in milliseconds. */
    now?: () => number;
}
export interface CallOptions {
    /** Whether a call may be repeated whose outcome is not known. Otherwise it is repeated only when Postgres says that it did nothing. */
    repeatable?: boolean;
    /** No retry begins after so many milliseconds; 15,000 by default. */
    patience?: number;
    signal?: AbortSignal;
    onAnswer?: (answer: Response, begun: number) => void;
}
/** The variables of this process, where there are any and they may be read. */
export declare function variables(): Record<string, string | undefined>;
export declare class Rpc {
    #private;
    readonly options: Options;
    readonly traceparent?: string | undefined;
    constructor(options: Options, traceparent?: string | undefined);
    /** A variable of `env` or of the process. */
    variable(name: string): string | undefined;
    call<T = any>(name: string, args?: object, { repeatable, patience, signal, onAnswer }?: CallOptions): Promise<T>;
}
