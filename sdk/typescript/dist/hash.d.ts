/** The first 8 bytes of SHA-256 in hex, of at most 55 ASCII characters (one block). */
export declare function hashStart(input: string): string;
