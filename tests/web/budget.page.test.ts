/** What the page weighs: scripts in gzip, without ONNX Runtime's WASM and the model. `scripts/measure-tab.ts` measures times. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { launchChromium } from "../support/lab-page.ts";
import { servePage, type PageServer } from "../support/page-server.ts";

/** Bytes of all script that is fetched until the page is ready to run on WASM. */
const START = 360_000;
/**
 * Bytes of all script of the build: with the editor (87 KB), the code of WebGPU's build (19 KB) and the board (11 KB), each of
 * which is fetched by those who open it, and once more by the service worker for the time offline.
 */
const ALL = 465_000;

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

const isScript = (path: string): boolean => /\.m?js$/.test(path);

async function weigh(paths: Iterable<string>): Promise<number> {
  let sum = 0;
  for (const path of paths) sum += gzipSync(await readFile(join(inject("pageFolder"), path)), { level: 9 }).length;
  return sum;
}

test("script until ready is within its budget", async () => {
  const page = await (await browser.newContext({ serviceWorkers: "block" })).newPage();
  await page.goto(`${server.url}?device=wasm-threads`);
  await page.waitForSelector(".chip[data-state=ready]", { timeout: 120_000 });
  const fetched = new Set(server.fetched.filter(isScript));
  // The page, its worker, a domain, the isolates and ONNX Runtime at least: a list that misses them would weigh too little.
  expect(fetched.size).toBeGreaterThan(6);
  const bytes = await weigh(fetched);
  process.stderr.write(`script until ready: ${String(bytes)} bytes in gzip\n`);
  expect(bytes).toBeLessThan(START);
});

test("all script of the build is within its budget", async () => {
  const files = await readdir(inject("pageFolder"), { recursive: true });
  // The page that the tests drive is not part of a build for people.
  const bytes = await weigh(files.filter((path) => isScript(path) && !/(^|\/)harness-/.test(path)));
  process.stderr.write(`all script: ${String(bytes)} bytes in gzip\n`);
  expect(bytes).toBeLessThan(ALL);
});
