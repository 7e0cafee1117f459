// JSON has snake case, TypeScript camel case. Fields that are undefined are left out.
export const rename = (object, pattern, to) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined).map(([name, value]) => [name.replace(pattern, to), value]));
export const snake = (options) => rename(options, /[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const camel = (row) => rename(row, /_[a-z]/g, (found) => found[1].toUpperCase());
