// The screens register themselves here: those of the engine, and those of applications, which appear only where their part is installed.
import { start } from "./live.js";

/**
 * @typedef {object} Screen
 * @property {string} name  the first word of its address
 * @property {string} label
 * @property {string} icon
 * @property {string} [key]  after g
 * @property {"Work" | "Applications" | "System"} group
 * @property {string} [part]  of Gristmill that has to be installed
 * @property {(props: {args: string[], query: Record<string, string>}) => any} view
 * @property {() => {count: number | string, tone?: string, label: string} | null} [badge]  a count beside its name
 * @property {string[]} [owns]  screens that are shown as part of this one
 * @property {boolean} [unlisted]  reached by links alone
 */

/** @type {Screen[]} */
const screens = [];

/** @param {Screen} screen */
export function register(screen) {
  screens.push(screen);
}

const isInstalled = (screen) => !screen.part || (start.value?.parts ?? []).includes(screen.part);
/** What this deployment shows. */
export const shown = () => screens.filter(isInstalled);
export const screenNamed = (name) => screens.find((screen) => screen.name === name && isInstalled(screen));
