/** Chromium with the engine's test page: the calls and events of the lab, from a test. */
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import type { Problem, RunChoice } from "../../web/protocol/lab.ts";
import type { LabCommand, LabCommands, LabEvent } from "../../web/protocol/messages.ts";

const CHROMIUM = "/usr/bin/chromium";

/** Flags that keep a headless Chromium quiet and offline. */
const FLAGS = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** WebGPU in software. */
export const WEBGPU_FLAGS: readonly string[] = [
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--enable-features=Vulkan",
  "--use-vulkan=swiftshader",
];

/** Starts Chromium. */
export function launchChromium(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...flags] });
}

/** Starts Chromium with the profile in `folder`, which keeps what pages store. */
export function launchProfile(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, { executablePath: CHROMIUM, args: [...FLAGS] });
}

/** What a call came to. */
export type Answer<T> =
  { readonly value: T; readonly problem?: undefined } | { readonly problem: Problem; readonly value?: undefined };

/** A tab with the test page. */
export type LabPage = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Messages of the console and of errors that nobody caught. */
  readonly complaints: readonly string[];
  /** @throws {TypeError} If the lab answers with a problem. */
  readonly call: <C extends LabCommand>(
    command: C,
    params: LabCommands[C]["params"],
  ) => Promise<LabCommands[C]["result"]>;
  readonly attempt: <C extends LabCommand>(
    command: C,
    params: LabCommands[C]["params"],
  ) => Promise<Answer<LabCommands[C]["result"]>>;
  /** Waits for an event that `accept`s, among all that came since the last wait. */
  readonly waitFor: (accept: (event: LabEvent) => boolean) => Promise<LabEvent>;
  readonly reload: () => Promise<void>;
};

/** Opens the test page below `url` in `context` and waits until its script has run. */
export async function openLabPage(context: BrowserContext, url: string): Promise<LabPage> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  const ready = async (): Promise<void> => {
    await page.waitForFunction("globalThis.call !== undefined");
  };
  await page.goto(`${url}harness.html`);
  await ready();
  let heard: LabEvent[] = [];
  const attempt: LabPage["attempt"] = (command, params) =>
    page.evaluate(`call(${JSON.stringify(command)}, ${JSON.stringify(params)})`);
  return {
    page,
    context,
    complaints,
    attempt,
    call: async (command, params) => {
      const { value, problem } = await attempt(command, params);
      if (problem !== undefined) throw new TypeError(`${command}: ${JSON.stringify(problem)}`);
      return value;
    },
    waitFor: async (accept) => {
      for (;;) {
        heard.push(...(await page.evaluate<LabEvent[]>("takeEvents()")));
        const at = heard.findIndex(accept);
        const found = heard[at];
        if (found !== undefined) {
          heard = heard.slice(at + 1);
          return found;
        }
        await page.waitForTimeout(50);
      }
    },
    reload: async () => {
      heard = [];
      await page.reload();
      await ready();
    },
  };
}

/** An experiment of seconds: every kind of phase, a search that tries two harnesses, training that learns. */
export const TINY: RunChoice = {
  domain: "math-reasoning",
  condition: "whale",
  preset: "smoke",
  seed: 3,
  overrides: {
    "tasks.weight": 16,
    "tasks.harness": 6,
    "tasks.validation": 2,
    "tasks.test": 3,
    "rsft.prompts": 4,
    "rsft.samples": 4,
    "schedule.totalSteps": 2,
    "schedule.phaseSteps": 1,
    "schedule.iterations": 2,
    "search.candidates": 2,
    "evaluation.samples": 2,
    "evaluation.resamples": 100,
  },
};

/** The bytes of `exportRun`, which `evaluate` alone would turn into an object. */
export async function exportZip({ page }: LabPage, run: string): Promise<Uint8Array> {
  const text = await page.evaluate<string>(
    `call("exportRun", { run: ${JSON.stringify(run)} }).then(({ value, problem }) => {
      if (problem) throw new TypeError(problem.what);
      let text = "";
      for (let i = 0; i < value.bytes.length; i += 8192) text += String.fromCharCode(...value.bytes.subarray(i, i + 8192));
      return btoa(text);
    })`,
  );
  return new Uint8Array(Buffer.from(text, "base64"));
}

/** Imports `bytes` and gives the name of the run. */
export async function importZip({ page }: LabPage, bytes: Uint8Array): Promise<Answer<{ readonly run: string }>> {
  const text = Buffer.from(bytes).toString("base64");
  return page.evaluate(
    `call("importRun", { fileName: "run.zip", bytes: Uint8Array.from(atob(${JSON.stringify(text)}), (c) => c.charCodeAt(0)) })`,
  );
}
