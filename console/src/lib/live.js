// The pulse: one small question every two seconds while the tab is visible. Screens refresh when a pulse has come, and never while it is paused.
import { batch, effect, signal } from "@preact/signals";

import { learnProfiles, rpc } from "./api.js";
import { session } from "./session.js";

const EVERY = 2000;
const SLOWEST = 30_000;

/** Who is signed in and what is installed, as console_start answers; null before. */
export const start = signal(/** @type {any} */ (null));
/** Why console_start was refused. */
export const refusal = signal(/** @type {any} */ (null));
/** What the last pulse said beside queues and jobs: alerts, late schedules, workers, bulk runs. */
export const pulse = signal(/** @type {any} */ ({}));
/** The newest values of the queues that have changed since the page was opened, by name. */
export const queuesNow = signal(/** @type {Record<string, any>} */ ({}));
/** Minutes that were closed since the page was opened, the last hour of them. */
export const minutesNow = signal(/** @type {any[]} */ ([]));
/** How many jobs end per second right now; null until two pulses have come. */
export const rate = signal(/** @type {number | null} */ (null));
/** [state, attempt, progress] of the jobs that a screen watches, by id. */
export const watched = signal(/** @type {Record<string, [string, number, number]>} */ ({}));
/** Counts pulses: what screens wait for. */
export const beat = signal(0);
export const paused = signal(false);
/** Whether the deployment answers. */
export const connection = signal(/** @type {"live" | "offline"} */ ("live"));
/** The time of the server, as near as answers tell; renewed every second while the tab is visible. */
export const now = signal(Date.now());

let skew = 0;
let wait = EVERY;
let cursor = /** @type {any} */ (null);
let timer = 0;
let watching = /** @type {string[]} */ ([]);
let counted = /** @type {{finished: number, at: number} | null} */ (null);

const MOST_WATCHED = 25;

/** The jobs on the screen, whose changes the pulse tells. */
export function watch(ids) {
  watching = ids.slice(0, MOST_WATCHED);
}

/** Learns the difference between the server's clock and ours. */
export function hearTime(at) {
  const time = new Date(at).getTime();
  if (!Number.isNaN(time)) skew = time - Date.now();
  now.value = Date.now() + skew;
}

setInterval(() => {
  if (document.visibilityState === "visible" && !paused.value) now.value = Date.now() + skew;
}, 1000);

async function ask() {
  timer = 0;
  if (document.visibilityState !== "visible" || paused.value || session.value.state !== "in" || !start.value) return;
  try {
    const answer = await rpc("console_pulse", { p_cursor: cursor, p_watch: watching.length ? watching : null });
    cursor = answer.cursor ?? cursor;
    wait = answer.again ? 0 : EVERY;
    batch(() => take(answer));
  } catch (error) {
    if (error.code === "offline" || error.status >= 500) connection.value = "offline";
    wait = Math.min(SLOWEST, wait * 2);
  }
  plan();
}

function take(answer) {
  hearTime(answer.now);
  connection.value = "live";
  const { queues = [], minutes = [], watch: changed, counters, ...rest } = answer;
  pulse.value = { ...pulse.value, ...rest };
  if (queues.length) queuesNow.value = { ...queuesNow.value, ...Object.fromEntries(queues.map((queue) => [queue.queue, queue])) };
  if (minutes.length) {
    const oldest = new Date(answer.now).getTime() - 3_600_000;
    minutesNow.value = [...minutesNow.value, ...minutes].filter(({ minute }) => new Date(minute).getTime() >= oldest);
  }
  if (changed && Object.keys(changed).length) watched.value = { ...watched.value, ...changed };
  if (counters) {
    const at = new Date(answer.now).getTime();
    // The counter may jump back after a crash of the database: such a difference says nothing.
    if (counted && at > counted.at && counters.finished >= counted.finished) rate.value = ((counters.finished - counted.finished) * 1000) / (at - counted.at);
    counted = { finished: counters.finished, at };
  }
  beat.value++;
}

function plan(after = wait) {
  clearTimeout(timer);
  timer = setTimeout(ask, after);
}

document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && plan(0));
effect(() => void (!paused.value && start.value && plan(0)));

/** Asks who we are and what this deployment has. */
export async function begin() {
  refusal.value = null;
  try {
    const answer = await rpc("console_start");
    hearTime(answer.now);
    learnProfiles(answer.profiles);
    start.value = answer;
  } catch (error) {
    refusal.value = error;
  }
}
