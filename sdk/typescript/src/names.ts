// JSON has snake case, TypeScript camel case. Fields that are undefined are left out.

export const rename = (object: object, pattern: RegExp, to: (found: string) => string): any =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined).map(([name, value]) => [name.replace(pattern, to), value]));

export const snake = (options: object): Record<string, unknown> => rename(options, /[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const camel = (row: object): any => rename(row, /_[a-z]/g, (found) => found[1]!.toUpperCase());
