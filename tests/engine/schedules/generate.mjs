// Schedules that are made from a seed, and what croner says about them. croner knows two kinds of expressions: with one minute and one hour a time of day is due
// once a day whatever clocks do; all others follow the clock. Ours are of the second kind only where the hour field names every hour. Any other is asked of
// croner as its single times of day.
import { Cron } from "croner";

/** Places that change their clocks by an hour, by half an hour, at midnight, in the south, and some that never do. */
export const ZONES = [
  "UTC", "Europe/Paris", "Europe/London", "Europe/Dublin", "Europe/Lisbon", "America/New_York", "America/Los_Angeles", "America/St_Johns", "America/Santiago",
  "America/Havana", "America/Asuncion", "America/Sao_Paulo", "Africa/Cairo", "Asia/Beirut", "Asia/Jerusalem", "Asia/Kolkata", "Asia/Tokyo", "Australia/Sydney",
  "Australia/Lord_Howe", "Pacific/Auckland", "Antarctica/Troll"];

export function schedules(random) {
  const integer = (from, to) => from + Math.floor(random() * (to - from + 1));
  const pick = (...choices) => choices[integer(0, choices.length - 1)];
  const range = (from, to) => {
    const first = integer(from, to);
    return `${first}-${integer(first, to)}`;
  };
  const minute = () => pick(`${integer(0, 59)}`, "0", "30", `${integer(0, 29)},${integer(30, 59)}`);
  // Mostly the hours at which clocks change.
  const hour = () => pick(`${integer(0, 4)}`, `${integer(0, 23)}`, "*/6", "0,1,2,3", "1-3", "8-18/5", `${integer(0, 2)},${integer(3, 23)}`);
  const day = () => pick("*", "*", "*", `${integer(1, 31)}`, range(1, 31), "*/10", "1,15");
  const month = () => pick("*", "*", "*", "*", `${integer(1, 12)}`, range(1, 12), "*/2", "jan,mar,jul-oct");
  const weekday = () => pick("*", "*", "*", `${integer(0, 7)}`, "1-5", "sat,sun", "mon-fri/2", "5-7");
  const one = () => {
    const isOften = random() < 0.05;
    return {
      cron: isOften ? `${pick("*/30", "17", "0,45")} * ${day()} ${pick("3,4", "oct", "11")} ${weekday()}` : `${minute()} ${hour()} ${day()} ${month()} ${weekday()}`,
      zone: pick(...ZONES),
    };
  };
  return { one, pick, integer };
}

/** Every due time after one instant, up to another, as milliseconds. */
export function dueTimes(cron, zone, after, until) {
  const [minutes, hours, days, month, weekdays] = cron.split(" ");
  const times = hours === "*" ? [`${minutes} *`] : numbers(hours, 0, 23).flatMap((hour) => numbers(minutes, 0, 59).map((minute) => `${minute} ${hour}`));
  // Of days 1, 30 and 31 croner 11.0.0 leaves out 1 March: it counts on from 30 February. So it is asked for each day by itself.
  const dates = days === "*" ? [`* ${month} ${weekdays}`]
    : [...numbers(days, 1, 31).map((day) => `${day} ${month} *`), ...(weekdays === "*" ? [] : [`* ${month} ${weekdays}`])];
  const patterns = times.flatMap((time) => dates.map((date) => `${time} ${date}`));
  const found = new Set();
  for (const pattern of patterns) {
    const asked = new Cron(pattern, { timezone: zone });
    for (let next = asked.nextRun(new Date(after)); next && next.getTime() <= until; next = asked.nextRun(next)) found.add(next.getTime());
  }
  return [...found].sort((a, b) => a - b);
}

function numbers(field, least, most) {
  return field.split(",").flatMap((item) => {
    const [, span, step] = /^(.+?)(?:\/(\d+))?$/.exec(item);
    const [from, to] = span === "*" ? [least, most] : span.split("-").map(Number);
    return Array.from({ length: 60 }, (_, n) => from + n * Number(step ?? 1)).filter((n) => n <= (to ?? from));
  });
}
