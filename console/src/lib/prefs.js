// What the viewer has chosen, kept by the browser: theme, columns, last searches.
import { effect, signal } from "@preact/signals";

const PREFIX = "gristmill.";

function stored(name, fallback) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name) ?? "") ?? fallback;
  } catch {
    return fallback;
  }
}

/** A signal that outlives the page. */
export function remembered(name, fallback) {
  const kept = signal(stored(name, fallback));
  effect(() => {
    try {
      localStorage.setItem(PREFIX + name, JSON.stringify(kept.value));
    } catch {
      // A private window may refuse; the choice then lasts as long as the page.
    }
  });
  return kept;
}

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const system = signal(systemIsDark.matches ? "dark" : "light");
systemIsDark.addEventListener("change", () => (system.value = systemIsDark.matches ? "dark" : "light"));

/** "light", "dark", or "" for what the system says. */
export const chosenTheme = remembered("theme", "");
export const theme = signal("light");
effect(() => {
  theme.value = chosenTheme.value || system.value;
  document.documentElement.dataset.theme = theme.value;
});

export function toggleTheme() {
  const other = theme.value === "dark" ? "light" : "dark";
  chosenTheme.value = other === system.value ? "" : other;
}
