/**
 * Whether one of the signatures in the headers was made with one of the secrets, within the last 300 s.
 * @param secrets one or several `whsec_…`, separated by blanks, while a key is changed
 */
export declare function isSigned(headers: Headers, body: Uint8Array, secrets: string, now?: number): Promise<boolean>;
