// How long the console's page takes in a real Chromium on this machine: until something is painted, and until the overview is there and can be used.
import { startBrowser } from "../../../../tests/contract/browser.mjs";
import { percentile } from "../progress.mjs";

export const PAINT_MS = 300;
export const INTERACTIVE_MS = 1000;
const VISITS = 12;

/** Each visit is a browser context of its own: nothing of the page is in a cache. */
export async function* page(stack, { progress }) {
  const token = await stack.token({ role: "authenticated", sub: "00000000-0000-4000-8000-00000000000a", gristmill_role: "operator" });
  const browser = await startBrowser();
  const painted = [];
  const usable = [];
  let bytes = 0;
  try {
    for (let visit = 0; visit < VISITS; visit++) {
      progress(`visit ${visit + 1} of ${VISITS}`);
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      await context.addInitScript((token) => {
        sessionStorage.setItem("gristmill.token", token);
        // The first row of queues is there: what stands on the screen answers clicks and keys from then on.
        new MutationObserver((_, observer) => {
          if (!document.querySelector("main table tbody tr a, main .queue-card a, main [href^='#/queue/']")) return;
          observer.disconnect();
          requestAnimationFrame(() => (window.usableAt = performance.now()));
        }).observe(document, { childList: true, subtree: true });
      }, token);
      const tab = await context.newPage();
      await tab.goto(`${stack.url}/console/#/overview`);
      await tab.waitForFunction(() => window.usableAt);
      const [paint, interactive, size] = await tab.evaluate(() => [performance.getEntriesByName("first-contentful-paint")[0]?.startTime, window.usableAt,
        performance.getEntriesByType("resource").filter(({ name }) => /\.(js|css)$/.test(name)).reduce((sum, { transferSize }) => sum + transferSize, 0)]);
      if (visit >= 2) { // the first ones warm Postgres and Chromium up
        painted.push(paint);
        usable.push(interactive);
      }
      bytes = size;
      await context.close();
    }
  } finally {
    await browser.close();
  }
  for (const [metric, values, limit] of [["first paint", painted, PAINT_MS], ["interactive", usable, INTERACTIVE_MS]]) {
    for (const [name, value] of [["the quickest", Math.min(...values)], ["p50", percentile(values, 0.5)]]) yield { metric: `page, ${metric}, ${name}`, value, unit: "ms", peer: `limit ${limit} ms`, ratio: value / limit };
    if (Math.min(...values) > limit) yield { failure: `the page's ${metric} takes ${Math.min(...values).toFixed(0)} ms at its quickest, and ${limit} ms are allowed` };
  }
  yield { metric: "page, script and style as sent", value: bytes / 1024, unit: "KB" };
}
