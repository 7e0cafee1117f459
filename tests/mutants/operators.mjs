// The operators: each gives, of the body of a function, every place where it can be applied and what stands there then.
import { tokens } from "./tokens.mjs";

const FLIPPED = { "=": "<>", "<>": "=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "~": "!~" };
// Words after which a condition stands, and those that end it at the same depth.
const CONDITIONS = new Set(["where", "on", "when", "if", "elsif", "having", "while"]);
const ENDS = new Set(["then", "loop", "group", "order", "limit", "returning", "for", "union", "join", "left", "cross", "inner", "full", "right", "into", "using",
  "where", "window", "do", "set", "as", "select", "else", "end"]);

/** @returns {{operator: string, from: number, to: number, text: string}[]} */
export function places(body) {
  const all = tokens(body);
  return [...comparisons(all), ...predicates(all), ...locks(all), ...handlers(all)];
}

// The equals sign of `set a = b` is no comparison.
function assignments(all) {
  const found = new Set();
  all.forEach((token, at) => {
    if (token.word !== "set" || token.kind !== "word") return;
    let expects = true;
    for (let next = at + 1; next < all.length && all[next].depth >= token.depth; next++) {
      const { word, depth } = all[next];
      if (depth > token.depth) continue;
      if (word === ";" || word === "where" || word === "from" || word === "returning") break;
      if (word === ",") expects = true;
      else if (word === "=" && expects) {
        found.add(all[next]);
        expects = false;
      }
    }
  });
  return found;
}

function comparisons(all) {
  const assigned = assignments(all);
  const found = [];
  const flip = (from, to, text) => found.push({ operator: "comparison flipped", from, to, text });
  all.forEach((token, at) => {
    const [one, two, three] = [all[at + 1]?.word, all[at + 2]?.word, all[at + 3]?.word];
    const words = (count) => all[at + count];
    if (token.kind === "operator" && FLIPPED[token.text] && !assigned.has(token)) {
      // "= any" of a list has its opposite in "<> all".
      const list = { any: "all", all: "any" }[one];
      flip(token.at, list ? words(1).end : token.end, list ? `${FLIPPED[token.text]} ${list}` : FLIPPED[token.text]);
    }
    if (token.word === "is" && token.kind === "word") {
      if (one === "null") flip(token.at, words(1).end, "is not null");
      else if (one === "not" && two === "null") flip(token.at, words(2).end, "is null");
      else if (one === "distinct" && two === "from") flip(token.at, words(2).end, "is not distinct from");
      else if (one === "not" && two === "distinct" && three === "from") flip(token.at, words(3).end, "is distinct from");
    }
    if (token.word === "not" && ["exists", "found"].includes(one)) flip(token.at, words(1).end, one);
    else if (token.word === "exists" && all[at - 1]?.word !== "not") flip(token.at, token.end, "not exists");
    if (token.word === "in" && one === "(" && all[at - 1]?.word !== "not") flip(token.at, token.end, "not in");
  });
  return found;
}

// Each condition that must hold is taken for granted, each of several that suffice is left out, and what an `if` guards happens always and never.
function predicates(all) {
  const found = [];
  const put = (part, text) => part.length > 0 && found.push({ operator: "predicate loosened", from: part[0].at, to: part.at(-1).end, text });
  all.forEach((token, at) => {
    if (token.kind !== "word" || !CONDITIONS.has(token.word)) return;
    const before = all[at - 1]?.word;
    if (before === "end" || before === "table" || (token.word === "on" && ["conflict", "constraint"].includes(all[at + 1]?.word))) return;
    if (token.word === "when" && (isHandler(all, at) || isOfValue(all, at))) return;
    const depth = all[at + 1]?.depth;
    const condition = [];
    let cases = 0;
    for (let next = at + 1; next < all.length; next++) {
      const { word, depth: here, kind, text } = all[next];
      if (here === depth && word === "case") cases += 1;
      if (here === depth && word === "end" && cases-- > 0) {
        condition.push(all[next]);
        continue;
      }
      // A closing parenthesis stands at the depth outside.
      if (here < depth || (here === depth && (text === ";" || text === "," || (kind === "word" && ENDS.has(word)) || kind === "dollar"))) break;
      if (here === depth && text === ")" && !condition.some((one) => one.text === "(" && one.depth === depth)) break;
      condition.push(all[next]);
    }
    if (condition.length === 0 || (condition.length === 1 && ["true", "false"].includes(condition[0].word))) return;
    const either = split(condition, depth, "or");
    if (either.length > 1) {
      put(condition, "true");
      for (const one of either) put(one, "false");
    }
    for (const one of either.flatMap((part) => split(part, depth, "and"))) if (either.length === 1 || one.length < condition.length) put(one, "true");
    if (["if", "elsif", "when"].includes(token.word) && either.length === 1) put(condition, "false");
  });
  return unique(found);
}

function unique(found) {
  return [...new Map(found.map((one) => [`${one.from} ${one.to} ${one.text}`, one])).values()];
}

function split(part, depth, by) {
  const found = [[]];
  let isBetween = false;
  for (const token of part) {
    if (token.depth === depth && token.word === "between") isBetween = true;
    if (token.depth === depth && token.kind === "word" && token.word === by) {
      if (by === "and" && isBetween) {
        isBetween = false;
        found.at(-1).push(token);
      } else {
        found.push([]);
      }
    } else {
      found.at(-1).push(token);
    }
  }
  return found.filter((one) => one.length > 0);
}

// `case x when 1 then`: what follows is a value and no condition.
function isOfValue(all, at) {
  const depth = all[at].depth;
  for (let back = at - 1; back >= 0; back--) {
    if (all[back].word === "case" && all[back].depth === depth - 1) return !(all[back + 1].word === "when");
    if (all[back].depth < depth) return false;
  }
  return false;
}

function isHandler(all, at) {
  const { depth, block } = all[at];
  if (block !== "begin" || ["exit", "continue"].includes(all[at - 1].word)) return false;
  for (let back = at - 1; back >= 0 && all[back].depth >= depth; back--) {
    if (all[back].depth === depth && ["exit", "continue"].includes(all[back].word)) return false;
    if (all[back].depth === depth && all[back].word === "exception") return all[back - 1]?.word !== "raise";
  }
  return false;
}

function handlers(all) {
  return all.flatMap((token, at) => {
    if (token.word !== "when" || !isHandler(all, at)) return [];
    const then = all.slice(at).find((one) => one.word === "then");
    return all[all.indexOf(then) + 1].word === "raise" ? [] : [{ operator: "exception re-raised", from: then.end, to: then.end, text: " raise;" }];
  });
}

const CALLS = {
  pg_advisory_xact_lock: "null::text", pg_advisory_lock: "null::text", pg_try_advisory_xact_lock: "true", pg_try_advisory_lock: "true",
  pg_advisory_unlock: "null::text", entry_lock: "true", lock_refresh_claims: "null::text", lock_limits: "null::text",
};

function locks(all) {
  const found = [];
  const remove = (from, to, text = "") => found.push({ operator: "lock removed", from, to, text });
  all.forEach((token, at) => {
    const words = (count) => all.slice(at, at + count).map(({ word }) => word).join(" ");
    const length = /^for no key update/.test(words(4)) ? 4 : /^for key share/.test(words(3)) ? 3 : /^for (update|share)/.test(words(2)) ? 2 : 0;
    if (length > 0) {
      let end = at + length;
      if (all[end]?.word === "of") end += 2;
      const skips = all[end]?.word === "skip";
      if (skips) end += 2;
      remove(token.at, all[end - 1].end);
      if (skips) remove(all[end - 2].at, all[end - 1].end);
    }
    if (token.kind === "word" && CALLS[token.word] && all[at + 1]?.text === "(") {
      const close = all.findIndex((one, next) => next > at + 1 && one.text === ")" && one.depth === all[at + 1].depth);
      let begin = at;
      while (all[begin - 1]?.text === ".") begin -= 2;
      remove(all[begin].at, all[close].end, CALLS[token.word]);
    }
  });
  return found;
}
