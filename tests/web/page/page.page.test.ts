/** The page in Chromium: what a person does with it, by hand and by keyboard, over the real worker. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { launchChromium } from "../../support/lab-page.ts";
import { servePage, type PageServer } from "../../support/page-server.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** An experiment of seconds, as an address. */
const TINY_SETTINGS = {
  preset: "smoke",
  seed: "3",
  "set.tasks.weight": "16",
  "set.tasks.harness": "6",
  "set.tasks.validation": "2",
  "set.tasks.test": "3",
  "set.rsft.prompts": "4",
  "set.rsft.samples": "4",
  "set.schedule.totalSteps": "2",
  "set.schedule.phaseSteps": "1",
  "set.schedule.iterations": "2",
  "set.search.candidates": "2",
  "set.evaluation.samples": "2",
  "set.evaluation.resamples": "100",
};
const TINY = new URLSearchParams(TINY_SETTINGS).toString();
/** A run of about a second. */
const SHORTEST = new URLSearchParams({
  ...TINY_SETTINGS,
  condition: "weight-only",
  "set.tasks.weight": "8",
  "set.rsft.prompts": "2",
  "set.rsft.samples": "2",
  "set.schedule.totalSteps": "1",
  "set.evaluation.samples": "1",
}).toString();

let server: PageServer;
let browser: Browser;

beforeAll(async () => {
  server = await servePage(inject("pageFolder"), { isolated: true });
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

type Opened = AsyncDisposable & { readonly page: Page; readonly complaints: readonly string[] };

async function open(query: string, options: Parameters<Browser["newContext"]>[0] = {}): Promise<Opened> {
  const context: BrowserContext = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`${server.url}?${query}`);
  await page.waitForSelector(".curve-head");
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

async function recordedRun(page: Page): Promise<void> {
  await page.waitForFunction("document.querySelectorAll('.plane-cell').length > 2");
  await page.waitForSelector(".rollout");
}

const ready = (page: Page): Promise<unknown> => page.waitForSelector(".chip[data-state=ready]", { timeout: 120_000 });

/** Until the run that was started is over; the recorded one is over from the start. */
async function finished(page: Page): Promise<void> {
  await page.waitForFunction(
    "location.search.includes('run=') && document.querySelector('.turn').textContent === 'Finished'",
    undefined,
    { timeout: 240_000 },
  );
}

describe("the first screen", () => {
  test("shows the recorded run, says that it is one, and offers to run your own", async () => {
    await using tab = await open("");
    await recordedRun(tab.page);
    expect(await tab.page.textContent(".recorded-note")).toContain("recorded run");
    expect(await tab.page.isVisible("text=Run your own")).toBe(true);
    expect(await tab.page.locator(".token[title]").count()).toBeGreaterThan(5);
  });

  test.each([
    [1440, 900],
    [1024, 768],
    [768, 1024],
    [390, 844],
  ])("does not scroll sideways at %i × %i", async (width, height) => {
    for (const tab of ["transcript", "harness", "about"]) {
      await using opened = await open(`tab=${tab}`, { viewport: { width, height } });
      await opened.page.waitForFunction("document.querySelectorAll('.plane-cell').length > 2");
      expect(await opened.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    }
  });

  test("name, device and theme stand in one row on a phone, the device's words in full", async () => {
    await using tab = await open("device=wasm-threads", { viewport: { width: 390, height: 844 } });
    await ready(tab.page);
    const middles = await tab.page.evaluate<number[]>(
      "['.brand', '.chip', '.theme'].map((part) => document.querySelector(part).getBoundingClientRect()).map(({ top, height }) => top + height / 2)",
    );
    expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(8);
    expect(
      await tab.page.evaluate(
        "(() => { const words = document.querySelector('.chip-words'); return words.scrollWidth - words.clientWidth; })()",
      ),
    ).toBeLessThanOrEqual(0);
  });

  test.each(["light", "dark"] as const)("has no violation of axe-core on any view in %s", async (colorScheme) => {
    const axe = await readFile(AXE, "utf8");
    for (const view of ["transcript", "harness", "about"]) {
      await using tab = await open(`tab=${view}`, { colorScheme });
      await tab.page.waitForFunction("document.querySelectorAll('.plane-cell').length > 2");
      if (view === "harness") await tab.page.waitForSelector(".cm-line");
      await tab.page.evaluate(axe);
      const found = await tab.page.evaluate<string[]>(
        "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].target.join(' ')))",
      );
      expect(found, view).toEqual([]);
    }
  });
});

describe("the address", () => {
  test("every change of the form and of the look is in it, and it brings them back", async () => {
    await using tab = await open("");
    const { page } = tab;
    await page.selectOption("label:has-text('Size') select", "smoke");
    await page.selectOption("label:has-text('What takes turns') select", "adaptive");
    await page.fill("#seed", "7");
    await page.fill("#knob-rsft-prompts", "5");
    await page.press("#knob-rsft-prompts", "Enter");
    await page.click("[role=tab]:has-text('Harness')");
    await page.waitForFunction("location.search.includes('tab=harness')");
    const search = await page.evaluate<string>("location.search");
    expect(Object.fromEntries(new URLSearchParams(search))).toMatchObject({
      preset: "smoke",
      condition: "adaptive",
      seed: "7",
      "set.rsft.prompts": "5",
      tab: "harness",
    });
    await using again = await open(search.slice(1));
    expect(await again.page.inputValue("#seed")).toBe("7");
    expect(await again.page.inputValue("#knob-rsft-prompts")).toBe("5");
    expect(await again.page.isEnabled("#knob-adaptive-weights-patience")).toBe(true);
    expect(await again.page.getAttribute("#tab-harness", "aria-selected")).toBe("true");
  });

  test("what it cannot understand is said on the page", async () => {
    await using tab = await open("preset=huge");
    await tab.page.waitForSelector(".notice:has-text('huge')");
  });

  test("a setting that does nothing in the condition is off, with the reason", async () => {
    await using tab = await open("condition=weight-only");
    const knob = tab.page.locator(".knob:has(#knob-search-candidates)");
    expect(await knob.locator("input").isDisabled()).toBe(true);
    expect(await knob.getAttribute("title")).toBe("This condition searches no harness.");
  });
});

describe("a run", () => {
  test("is begun, looked at and read by the keyboard alone, without a word on the console", async () => {
    await using tab = await open(TINY);
    const { page, complaints } = tab;
    await page.evaluate(
      "window.slow = []; new PerformanceObserver((list) => window.slow.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' })",
    );
    await ready(page);
    await page.keyboard.press("Space");
    await finished(page);
    const points = await page.locator(".plane-cell").count();
    expect(points).toBeGreaterThan(1);
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction("location.search.includes('at=')");
    await page.keyboard.press("2");
    await page.waitForSelector(".tree-row");
    await page.keyboard.press("1");
    await page.waitForSelector(".rollout .token");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Escape");
    expect(complaints).toEqual([]);
    const slow = await page.evaluate<number[]>("window.slow");
    process.stderr.write(`long tasks of the main thread: ${JSON.stringify(slow)}\n`);
  });

  test("begins again and again, however long the list of runs and however short the run", async () => {
    await using tab = await open(SHORTEST);
    const { page } = tab;
    await ready(page);
    for (let run = 0; run < 12; run += 1) {
      const before = new URL(page.url()).searchParams.get("run");
      await page.keyboard.press(" ");
      await page.waitForFunction(
        `new URLSearchParams(location.search).get("run") !== ${JSON.stringify(before)}`,
        undefined,
        { timeout: 30_000 },
      );
      await finished(page);
    }
    expect(await page.textContent(".sentence")).toContain("Done");
  });

  test("goes by single steps, and is offered again after a reload in the middle", async () => {
    await using tab = await open(TINY);
    const { page } = tab;
    await ready(page);
    await page.keyboard.press("s");
    await page.waitForFunction("document.querySelector('.run .button-words').textContent === 'Go on'", undefined, {
      timeout: 120_000,
    });
    await page.reload();
    await ready(page);
    await page.click(".notice button:has-text('Go on with it')");
    await finished(page);
  });

  test("a harness written by hand is checked and raced against the first one", async () => {
    await using tab = await open(`${TINY}&tab=harness`);
    const { page } = tab;
    await ready(page);
    await page.waitForSelector(".cm-line");
    await page.click("button:has-text('Edit a copy')");
    await page.click("label:has-text('source')");
    await page.click(".cm-content");
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("// by hand\n");
    await page.click("button:has-text('Check')");
    await page.waitForSelector(".checks li", { timeout: 120_000 });
    expect(await page.textContent(".bench-result")).toContain("A search would accept it.");
    await page.click("button:has-text('Race it')");
    await page.waitForSelector(".bench-result .figure", { timeout: 200_000 });
    expect(await page.textContent(".bench-result")).toContain("difference");
  });
});
