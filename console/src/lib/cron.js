// Cron expressions of five fields in words. Bounded: an expression of a stranger is at most 200 characters.
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const NICKNAMES = { "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *" };
const LONGEST = 200;

const two = (n) => String(n).padStart(2, "0");
const list = (items) => (items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`);
const ordinal = (n) => `${n}${n % 100 >= 11 && n % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th")}`;
const numbers = (field) => (/^\d+(,\d+)*$/.test(field) ? field.split(",").map(Number) : null);
const step = (field) => /^(?:\*|0)\/(\d+)$/.exec(field)?.[1];

/** Days and months may be written as names; what is no number or known name is refused. */
function named(field, names, first) {
  return field.replace(/[a-z]+/gi, (word) => {
    const at = names.findIndex((name) => name.slice(0, 3).toLowerCase() === word.slice(0, 3).toLowerCase());
    return at < 0 ? word : String(at + first);
  });
}

function span(field, say) {
  return list(field.split(",").map((part) => {
    const [range, every] = part.split("/");
    const [from, to] = range.split("-");
    const text = range === "*" ? "" : to === undefined ? say(Number(from)) : `${say(Number(from))} to ${say(Number(to))}`;
    return every ? `every ${ordinal(Number(every))}${text && ` from ${text}`}` : text;
  }));
}

/** The expression in words, or "" for what is not understood. @param {string} expression */
export function cronInWords(expression) {
  const given = String(expression ?? "").trim();
  if (!given || given.length > LONGEST) return "";
  const seconds = /^(?:every )?(\d+) (second|minute|hour|day)s?$/i.exec(given);
  if (seconds) return Number(seconds[1]) === 1 ? `Every ${seconds[2]}` : `Every ${seconds[1]} ${seconds[2]}s`;
  const fields = (NICKNAMES[given.toLowerCase()] ?? given).split(/\s+/);
  if (fields.length !== 5) return "";
  const [minute, hour, day] = fields;
  const month = named(fields[3], MONTHS, 1);
  const weekday = named(fields[4], DAYS, 0);
  if (![minute, hour, day, month, weekday].every((field) => /^(\*|\d+(-\d+)?)(\/\d+)?(,(\*|\d+(-\d+)?)(\/\d+)?)*$/.test(field))) return "";
  const words = [timeOfDay(minute, hour), dayOf(day, weekday), month === "*" ? "" : `in ${span(month, (n) => MONTHS[n - 1] ?? n)}`].filter(Boolean).join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function timeOfDay(minute, hour) {
  const [minutes, hours] = [numbers(minute), numbers(hour)];
  if (minutes && hours && minutes.length * hours.length <= 6) return `at ${list(hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`)))}`;
  const within = hour === "*" ? "" : step(hour) ? ` of every ${ordinal(Number(step(hour)))} hour` : hours ? ` of the hours ${list(hours.map(two))}` : `, ${span(hour, (h) => `${two(h)}:00`)}`;
  if (minute === "*") return `every minute${within}`;
  if (step(minute)) return `${step(minute) === "1" ? "every minute" : `every ${step(minute)} minutes`}${within}`;
  if (minutes?.length === 1 && hour === "*") return minutes[0] === 0 ? "every hour, on the hour" : `every hour, at minute ${minutes[0]}`;
  if (minutes?.length === 1 && minutes[0] === 0 && step(hour)) return step(hour) === "1" ? "every hour, on the hour" : `every ${step(hour)} hours, on the hour`;
  if (minutes) return `at minute ${list(minutes.map(String))}${within || " of every hour"}`;
  return `at minutes ${span(minute, String)}${within}`;
}

function dayOf(day, weekday) {
  const isDay = day !== "*";
  const isWeekday = weekday !== "*";
  if (!isDay && !isWeekday) return "";
  const ofWeek = weekday === "1-5" ? "from Monday to Friday" : `on ${span(weekday, (n) => DAYS[n % 7] ?? n)}`;
  const ofMonth = step(day) ? `every ${ordinal(Number(step(day)))} day of the month` : `on the ${span(day, ordinal)} of the month`;
  // Where both are given, cron runs on days that fit either.
  return isDay && isWeekday ? `${ofMonth} and ${ofWeek}` : isDay ? ofMonth : ofWeek;
}
