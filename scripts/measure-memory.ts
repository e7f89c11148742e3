/**
 * Measures whether memory stays flat: the production build in headless Chromium makes one run after the other, and after
 * each of them, with garbage collected, a JSON line tells the heaps of the page and of its worker, their array buffers, and
 * the resident memory of their process, which holds the WASM memories as well. The last line tells the growth in %, from the runs that ended
 * in the first fifth after the warm-up to those of the last fifth, by their medians.
 *
 *     npx tsx scripts/measure-memory.ts [minutes] [query of the address]
 */
import { readFile } from "node:fs/promises";
import type { Browser, CDPSession, Page } from "playwright-core";
import { buildPage } from "../tests/support/built-page.ts";
import { launchChromium } from "../tests/support/lab-page.ts";
import { servePage } from "../tests/support/page-server.ts";

/** Minutes in which caches fill: what a longer measurement does not count. */
const WARM_UP = 5;
const PAGE_BYTES = 4096;

/** Megabytes, by what holds them. */
type Sample = {
  readonly minute: number;
  readonly pageHeap: number;
  readonly workerHeap: number;
  /** Array buffers of the worker, without WASM memories, which `resident` holds; NaN where this Chromium does not tell. */
  readonly workerBuffers: number;
  readonly resident: number;
};

type HeapUsage = { readonly usedSize: number; readonly backingStorageSize?: number };

async function main(): Promise<void> {
  const [minutes = "30", query = "domain=math-reasoning&preset=smoke&device=wasm-threads"] = process.argv.slice(2);
  await using built = await buildPage("production");
  await using server = await servePage(built.folder, { isolated: true });
  const browser = await launchChromium();
  try {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${server.url}?${query}`);
    await page.waitForSelector(".chip[data-state=ready]", { timeout: 10 * 60_000 });
    const samples = await runAndSample(page, await openProbe(browser, page), Number(minutes));
    console.log(JSON.stringify(growth(samples)));
  } finally {
    await browser.close();
  }
}

async function runAndSample(
  page: Page,
  probe: () => Promise<Omit<Sample, "minute">>,
  minutes: number,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const start = performance.now();
  const elapsed = (): number => (performance.now() - start) / 60_000;
  while (elapsed() < minutes) {
    await makeRun(page);
    const sample = { minute: Number(elapsed().toFixed(2)), ...(await probe()) };
    console.log(JSON.stringify(sample));
    samples.push(sample);
  }
  return samples;
}

/** One run from its start to its end; every run has a name of its own in the address. */
async function makeRun(page: Page): Promise<void> {
  const shown = await page.evaluate<string | null>("new URLSearchParams(location.search).get('run')");
  await page.keyboard.press("Space");
  await page.waitForFunction(
    `(new URLSearchParams(location.search).get("run") ?? "") !== ${JSON.stringify(shown ?? "")} && document.querySelector(".turn").textContent === "Finished"`,
    undefined,
    { timeout: 30 * 60_000 },
  );
}

/** Reads the heaps through the protocol of the developer tools, and the resident memory from the system (Linux). */
async function openProbe(browser: Browser, page: Page): Promise<() => Promise<Omit<Sample, "minute">>> {
  const session = await page.context().newCDPSession(page);
  const worker = await attachToWorker(session);
  const system = await browser.newBrowserCDPSession();
  return async () => {
    for (const ask of [(method: "HeapProfiler.collectGarbage") => session.send(method), worker])
      await ask("HeapProfiler.collectGarbage");
    const pageUsage: HeapUsage = await session.send("Runtime.getHeapUsage");
    const workerUsage = (await worker("Runtime.getHeapUsage")) as HeapUsage;
    return {
      pageHeap: megabytes(pageUsage.usedSize + (pageUsage.backingStorageSize ?? 0)),
      workerHeap: megabytes(workerUsage.usedSize),
      workerBuffers: megabytes(workerUsage.backingStorageSize ?? NaN),
      resident: megabytes(await residentBytes(system)),
    };
  };
}

/** A way to send commands to the page's worker. */
async function attachToWorker(session: CDPSession): Promise<(method: string) => Promise<unknown>> {
  const waiting = new Map<number, (result: unknown) => void>();
  const attached = new Promise<string>((resolve) => {
    session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
      if (targetInfo.type === "worker") resolve(sessionId);
    });
  });
  session.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id = -1, result } = JSON.parse(message) as { readonly id?: number; readonly result?: unknown };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  await session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const sessionId = await attached;
  let last = 0;
  return async (method) => {
    last += 1;
    const id = last;
    const answer = new Promise<unknown>((resolve) => waiting.set(id, resolve));
    await session.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method }) });
    return answer;
  };
}

/** Resident memory of the largest renderer, which is that of the page and its worker. */
async function residentBytes(system: CDPSession): Promise<number> {
  const { processInfo } = await system.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  const sizes = await Promise.all(
    renderers.map(async ({ id }) => {
      // Gone, or not Linux: then it has no such file.
      const text = await readFile(`/proc/${String(id)}/statm`, "utf8").catch(() => "");
      return PAGE_BYTES * Number(text.split(" ")[1] ?? NaN);
    }),
  );
  const known = sizes.filter((size) => Number.isFinite(size));
  return known.length === 0 ? NaN : Math.max(...known);
}

function megabytes(bytes: number): number {
  return Number((bytes / 1e6).toFixed(2));
}

/** Growth of every series in %; a measurement shorter than the warm-up has none to leave out. */
function growth(samples: readonly Sample[]): object {
  const end = samples.at(-1)?.minute ?? 0;
  const from = end > 2 * WARM_UP ? WARM_UP : 0;
  const kept = samples.filter(({ minute }) => minute >= from);
  const fifth = Math.max(1, Math.floor(kept.length / 5));
  const of = (key: keyof Sample): number => {
    const [first, last] = [kept.slice(0, fifth), kept.slice(-fifth)].map((part) => median(part.map((row) => row[key])));
    return Number((100 * ((last ?? NaN) / (first ?? NaN) - 1)).toFixed(2));
  };
  return {
    ...{ runs: samples.length, minutes: end, countedFrom: from },
    growth: {
      pageHeap: of("pageHeap"),
      workerHeap: of("workerHeap"),
      workerBuffers: of("workerBuffers"),
      resident: of("resident"),
    },
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

await main();
