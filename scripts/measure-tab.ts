/**
 * Measures the page as a visitor meets it: the production build from a local static host, in headless Chromium, WASM with
 * threads. One JSON line for each domain: first paint and ready (from navigation), the first training step, the first
 * visible gain and the whole run (from pressing Run), and the long tasks of the main thread, before the run and in it: how
 * many took more than 50 ms, the longest, and the most time that any task had a processor. Where that last figure is far
 * below the one before it, the task waited for a processor, not the page for the task.
 *
 * A visible gain is the first point of the curve whose validation accuracy lies above the upper end of the base's interval.
 * What cannot be reached is null. Run it on a quiet machine: two threads on two busy processors wait for each other.
 *
 *     npx tsx scripts/measure-tab.ts [preset] [domain,domain] [more of the address, such as device=wasm&set.rsft.prompts=4]
 */
import type { Browser, CDPSession, Page } from "playwright-core";
import { buildPage } from "../tests/support/built-page.ts";
import { launchChromium } from "../tests/support/lab-page.ts";
import { servePage } from "../tests/support/page-server.ts";

const DOMAINS = ["math-reasoning", "search-qa", "chess-puzzles"];
const LONGEST_RUN_MS = 30 * 60_000;
const LONGEST_START_MS = 10 * 60_000;

/** Milliseconds since navigation. */
type Marks = {
  readonly paint?: number;
  readonly ready?: number;
  readonly run?: number;
  readonly step?: number;
  readonly gain?: number;
  readonly end?: number;
  /** Tasks over 50 ms on the main thread: when they began and how long they took. */
  readonly long: readonly { readonly at: number; readonly ms: number }[];
};

/** Watches the page from inside, from what it shows: the chip, the strips, the table behind the curve, the badge. */
const WATCH = `
  globalThis.marks = { long: [] };
  const mark = (name) => { marks[name] ??= performance.now(); };
  new PerformanceObserver((list) => marks.long.push(
    ...list.getEntries().map(({ startTime, duration }) => ({ at: startTime, ms: duration }))))
    .observe({ type: "longtask", buffered: true });
  new PerformanceObserver((list) => { marks.paint ??= list.getEntriesByName("first-contentful-paint")[0]?.startTime; })
    .observe({ type: "paint", buffered: true });
  const validation = (row) => {
    const [mean, low, high] = [...row.cells[3].textContent.matchAll(/[\\d.]+/g)].map(([text]) => Number(text));
    return { mean, low, high };
  };
  setInterval(() => {
    if (document.querySelector(".chip[data-state=ready]")) mark("ready");
    if (!location.search.includes("run=")) return;
    mark("run");
    if (document.querySelector(".strip-value")?.textContent.startsWith("step ")) mark("step");
    const [base, ...points] = [...document.querySelectorAll(".curves tbody tr")].map(validation);
    if (points.some(({ mean }) => mean > base.high)) mark("gain");
    if (document.querySelector(".turn")?.textContent === "Finished") mark("end");
  }, 20);
`;

async function main(): Promise<void> {
  const [preset = "tab", domains = DOMAINS.join(","), more = ""] = process.argv.slice(2);
  await using built = await buildPage("production");
  await using server = await servePage(built.folder, { isolated: true });
  const browser = await launchChromium();
  try {
    for (const domain of domains.split(",")) {
      const query = new URLSearchParams({ domain, preset, seed: "0", device: "wasm-threads" });
      for (const [key, value] of new URLSearchParams(more)) query.set(key, value);
      const figures = await measure(browser, `${server.url}?${query.toString()}`);
      console.log(JSON.stringify({ domain, preset, seed: 0, ...figures }));
    }
  } finally {
    await browser.close();
  }
}

async function measure(browser: Browser, url: string): Promise<object> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.on("pageerror", (error) => process.stderr.write(`${error.message}\n`));
  await page.addInitScript(WATCH);
  const tasks = await traceTasks(await browser.newBrowserCDPSession());
  await page.goto(url);
  await page.waitForFunction("marks.ready !== undefined", undefined, { timeout: LONGEST_START_MS });
  const device = await page.textContent(".chip-words");
  const pressed = await page.evaluate<number>("performance.mark('pressed').startTime");
  await page.keyboard.press("Space");
  await page.waitForFunction("marks.end !== undefined", undefined, { timeout: LONGEST_RUN_MS });
  const marks = await readMarks(page);
  const sentence = await page.textContent(".sentence");
  await page.evaluate("performance.mark('ended')");
  const busiest = await tasks.stop();
  await context.close();
  const since = (mark: number | undefined): number | null => (mark === undefined ? null : Math.round(mark - pressed));
  return {
    device,
    firstPaintMs: Math.round(marks.paint ?? NaN),
    readyMs: Math.round(marks.ready ?? NaN),
    firstStepMs: since(marks.step),
    firstGainMs: since(marks.gain),
    wholeRunMs: since(marks.end),
    longTasksBefore: { ...longest(marks.long.filter(({ at }) => at < pressed)), busiestMs: busiest.before },
    longTasksInRun: {
      ...longest(marks.long.filter(({ at }) => at >= pressed && at <= (marks.end ?? Infinity))),
      busiestMs: busiest.inRun,
    },
    result: sentence,
  };
}

/** How many, and the longest in milliseconds. */
function longest(tasks: Marks["long"]): { readonly count: number; readonly longestMs: number } {
  return { count: tasks.length, longestMs: Math.round(Math.max(0, ...tasks.map(({ ms }) => ms))) };
}

/** Most milliseconds that one task of the page's main thread had a processor. */
type Busiest = { readonly before: number; readonly inRun: number };

/** An event of Chromium's trace, times in microseconds. */
type TraceEvent = {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly tdur?: number;
};

/** Traces the tasks of all threads until `stop`, which tells those of the page by its marks `pressed` and `ended`. */
async function traceTasks(browser: CDPSession): Promise<{ readonly stop: () => Promise<Busiest> }> {
  const kept: TraceEvent[] = [];
  browser.on("Tracing.dataCollected", ({ value }) => {
    const names = new Set(["RunTask", "pressed", "ended"]);
    kept.push(...(value as unknown as TraceEvent[]).filter(({ name }) => names.has(name)));
  });
  await browser.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["disabled-by-default-devtools.timeline", "blink.user_timing"] },
  });
  return {
    stop: async () => {
      const complete = new Promise((resolve) => browser.once("Tracing.tracingComplete", resolve));
      await browser.send("Tracing.end");
      await complete;
      await browser.detach();
      const [pressed, ended] = ["pressed", "ended"].map((mark) => kept.find(({ name }) => name === mark));
      const most = (from: number, to: number): number =>
        kept
          .filter(({ name, pid, tid }) => name === "RunTask" && pid === pressed?.pid && tid === pressed.tid)
          .filter(({ ts }) => ts >= from && ts < to)
          .reduce((busiest, { tdur = 0 }) => Math.max(busiest, Math.round(tdur / 1000)), 0);
      return { before: most(0, pressed?.ts ?? 0), inRun: most(pressed?.ts ?? 0, ended?.ts ?? 0) };
    },
  };
}

function readMarks(page: Page): Promise<Marks> {
  return page.evaluate<Marks>("marks");
}

await main();
