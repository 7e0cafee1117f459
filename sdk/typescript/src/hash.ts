// SHA-256 of a short text at once. WebCrypto's digest is asynchronous, and costs more per job than the rest of an attempt that does nothing; a long-lived worker
// computes this only where a handler asks for it.

let constants: number[] | undefined, start: number[];

// The first primes give the constants of SHA-256: the fractions of their square and cube roots.
function prepare(): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
  const fraction = (root: number) => ((root - Math.floor(root)) * 2 ** 32) | 0;
  start = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
  return primes.map((prime) => fraction(Math.cbrt(prime)));
}

/** The first 8 bytes of SHA-256 in hex, of at most 55 ASCII characters (one block). */
export function hashStart(input: string): string {
  const k = (constants ??= prepare());
  const words = new Int32Array(64);
  for (let i = 0; i < input.length; i++) words[i >> 2]! |= input.charCodeAt(i) << (24 - 8 * (i % 4));
  words[input.length >> 2]! |= 0x80 << (24 - 8 * (input.length % 4));
  words[15] = input.length * 8;
  const turn = (x: number, n: number) => (x >>> n) | (x << (32 - n));
  let [a, b, c, d, e, f, g, h] = start as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    if (i > 15) {
      const x = words[i - 15]!, y = words[i - 2]!;
      words[i] = words[i - 16]! + words[i - 7]! + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
    }
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + k[i]! + words[i]!) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  const hex = (n: number) => (n >>> 0).toString(16).padStart(8, "0");
  return hex(a + start[0]!) + hex(b + start[1]!);
}
