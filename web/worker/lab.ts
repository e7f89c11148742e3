/** The composition root of the page: every command of the protocol over the engine, the run folders and the device. */
import { CONDITION_TABLE, CONDITIONS, PRESETS, resolveConfig, type ChatCodec } from "../../src/index.ts";
import type {
  BootReport,
  LabCommand,
  LabCommands,
  LabEvent,
  LabRequest,
  RunChoice,
  RunListing,
} from "../protocol.ts";
import { openActiveRun, type ActiveRun } from "./active-run.ts";
import { openDevice, openTrialPolicy, type Device } from "./devices.ts";
import { busy, toProblem } from "./problems.ts";
import { createNarrator } from "./narrator.ts";
import { loadDomains, MODEL } from "./registry.ts";
import { listShelf, newRunName, readListing, readStorage, sweepShelf, writeAbout } from "./shelf.ts";

/** Answers one request. */
export type Lab = (request: LabRequest) => Promise<LabCommands[LabCommand]["result"]>;

type Handlers = { readonly [C in LabCommand]: (params: LabCommands[C]["params"]) => Promise<LabCommands[C]["result"]> };

/** What the page sends first, and only once, opens this. */
type Booted = { readonly device: Device; readonly codec: ChatCodec };

/** A lab that sends its events to `send`. */
export function createLab(send: (event: LabEvent) => void): Lab {
  const session = new LabSession(send);
  const handlers: Handlers = {
    boot: ({ device }) => session.boot(device),
    listRuns: () => session.list(),
    resolveChoice: ({ choice }) => Promise.resolve(configOf(choice)),
    startRun: ({ choice, title, isPaused }) => session.start(choice, { title, isPaused }),
    resumeRun: ({ run, isPaused }) => session.resume(run, isPaused),
    pause: () => session.control((active) => { active.gate.pause(); }),
    play: () => session.control((active) => { active.gate.play(); }),
    step: () => session.control((active) => active.gate.step()),
    stop: () => session.stop(),
  } as unknown as Handlers;
  return ({ command, params }) => (handlers[command] as (given: typeof params) => ReturnType<Lab>)(params);
}

class LabSession {
  readonly #send: (event: LabEvent) => void;
  #booted: Booted | undefined;
  #active: ActiveRun | undefined;
  /** Whether a run is being opened. */
  #isOpening = false;

  constructor(send: (event: LabEvent) => void) {
    this.#send = send;
  }

  async boot(wanted: Parameters<typeof openDevice>[0]): Promise<BootReport> {
    if (this.#booted) throw busy("The lab has been started already.", "Start a new worker to change the device.");
    this.#send({ kind: "booting", share: 0.1, what: "Looking at this machine" });
    const device = await openDevice(wanted);
    this.#send({ kind: "booting", share: 0.8, what: "Opening your runs" });
    const opened = await openTrialPolicy(device.runtime);
    await opened[Symbol.asyncDispose]();
    this.#booted = { device, codec: opened.codec };
    await sweepShelf();
    const domains = await loadDomains();
    const runs = await this.list();
    return {
      device: device.report,
      domains: domains.map(({ name, title, tiers, defaultTier, seedHarness, axes, causes, guide }) => ({
        ...{ name, title, tiers, defaultTier, seedHarness, axes, causes, guide },
      })),
      conditions: CONDITIONS.map((name) => {
        const { title, weights, harness, adaptive, promptOnly } = CONDITION_TABLE[name];
        return { name, title, weights, harness, adaptive, promptOnly };
      }),
      presets: PRESETS,
      storage: await readStorage(),
      isCrossOriginIsolated: globalThis.crossOriginIsolated,
      unfinished: runs.filter(({ status }) => status === "unfinished"),
      bootMs: Math.round(performance.now()),
    };
  }

  list(): Promise<RunListing[]> {
    return listShelf(this.#active?.run);
  }

  async start(
    choice: RunChoice,
    { title = "", isPaused = false }: { readonly title?: string | undefined; readonly isPaused?: boolean | undefined },
  ): Promise<RunListing> {
    const config = configOf(choice);
    const now = new Date();
    const run = await newRunName(config, now);
    return this.#open(run, isPaused, async () => {
      await writeAbout(run, { title, createdAt: now.toISOString(), isDeleted: false });
      return config;
    });
  }

  resume(run: string, isPaused = false): Promise<RunListing> {
    return this.#open(run, isPaused, async () => {
      await readListing(run, undefined);
      return undefined;
    });
  }

  async control(use: (active: ActiveRun) => Promise<void> | void): Promise<null> {
    if (!this.#active) throw busy("No run is going on.", "Start a run, or go on with one.");
    await use(this.#active);
    return null;
  }

  async stop(): Promise<null> {
    const active = this.#active;
    if (!active) return null;
    active.gate.stop();
    await active.ended.catch(() => undefined);
    return null;
  }

  async #open(
    run: string,
    isPaused: boolean,
    prepare: () => Promise<Parameters<typeof openActiveRun>[0]["config"]>,
  ): Promise<RunListing> {
    if (!this.#booted) throw busy("The lab has not been started.", "Wait until the page is ready.");
    if (this.#active || this.#isOpening) throw busy("Another run is going on.", "Stop it first; it can be resumed later.");
    this.#isOpening = true;
    try {
      const config = await prepare();
      const narrator = createNarrator(run, this.#send);
      const { runtime } = this.#booted.device;
      const active = await openActiveRun({ run, config, isPaused, runtime, watcher: narrator });
      narrator.begin(active.config);
      this.#active = active;
      void this.#follow(active);
      return await readListing(run, run);
    } finally {
      this.#isOpening = false;
    }
  }

  async #follow(active: ActiveRun): Promise<void> {
    const { run } = active;
    try {
      const summary = await active.ended;
      this.#active = undefined;
      this.#send({ kind: "done", run, summary });
    } catch (error) {
      this.#active = undefined;
      const problem = toProblem(error);
      if (problem.kind !== "stopped") this.#send({ kind: "problem", run, problem });
    }
    this.#send({ kind: "runs", runs: await this.list() });
  }
}

/** The settings of `choice`. */
function configOf({ preset, domain, condition, seed, overrides }: RunChoice): ReturnType<typeof resolveConfig> {
  return resolveConfig(preset, { domain, condition, model: MODEL, seed }, overrides);
}
