/** The composition root of the page: every command of the protocol over the engine, the run folders and the device. */
import type { LabCommand, LabCommands, LabEvent, LabRequest } from "../protocol/messages.ts";
import { boot, type Booted } from "./boot.ts";
import { configOf } from "./choice.ts";
import { LabBench } from "./lab-bench.ts";
import { LabLibrary } from "./lab-library.ts";
import { LabRunner } from "./lab-runner.ts";
import { busy } from "./problems.ts";
import { readStorage } from "./shelf.ts";

type Params<C extends LabCommand> = LabCommands[C]["params"];
type Result<C extends LabCommand> = LabCommands[C]["result"];
type Handlers = { readonly [C in LabCommand]: (params: Params<C>) => Promise<Result<C>> | Result<C> };

/** Answers one request. */
export type Lab = (request: LabRequest) => Promise<Result<LabCommand>>;

/** A lab that sends its events to `send`. */
export function createLab(send: (event: LabEvent) => void): Lab {
  let handlers: Omit<Handlers, "boot"> | undefined;
  let isBooting = false;
  return async ({ command, params }) => {
    if (command === "boot") {
      if (isBooting) throw busy("The lab has been started already.", "Open another worker to change the device.");
      isBooting = true;
      const { booted, report } = await boot(params, send).catch((error: unknown) => {
        // Another device may be tried.
        isBooting = false;
        throw error;
      });
      handlers = createHandlers(booted, send);
      return report;
    }
    if (!handlers) throw busy("The lab has not been started.", "Wait until the page is ready.");
    const handler = handlers[command] as (given: typeof params) => Promise<Result<LabCommand>>;
    return handler(params);
  };
}

function createHandlers(booted: Booted, send: (event: LabEvent) => void): Omit<Handlers, "boot"> {
  const runner = new LabRunner(booted, send);
  const library = new LabLibrary(runner);
  const bench = new LabBench(booted, { runner, library });
  return {
    listRuns: () => library.list(),
    resolveChoice: ({ choice }) => configOf(choice),
    startRun: ({ choice, title, isPaused }) =>
      runner.start(configOf(choice), { title: title ?? "", isPaused: isPaused ?? false }),
    resumeRun: ({ run, isPaused }) => runner.resume(run, isPaused ?? false),
    pause: () =>
      runner.control((gate) => {
        gate.pause();
      }),
    play: () =>
      runner.control((gate) => {
        gate.play();
      }),
    step: () => runner.control((gate) => gate.step()),
    stop: () => runner.stop(),
    renameRun: ({ run, title }) => library.rename(run, title),
    deleteRun: ({ run }) => library.remove(run),
    restoreRun: ({ run }) => library.restore(run),
    exportRun: ({ run }) => library.export(run),
    importRun: ({ fileName, bytes }) => library.import(fileName, bytes),
    readRun: ({ run }) => library.read(run),
    readHarness: ({ run, harness }) => library.readHarness(run, harness),
    listGroups: async ({ run }) => runner.rollouts.groups(await library.source(run)),
    listRollouts: async ({ run, group }) => runner.rollouts.rows(await library.source(run), group),
    readRollout: async ({ run, ref }) => runner.rollouts.view(await library.source(run), ref),
    findTask: async ({ run, task, sample }) => {
      const source = await library.source(run);
      const found: Result<"findTask">[number][] = [];
      for (const group of await runner.rollouts.groups(source)) {
        if (group.use !== "evaluation") continue;
        const rows = await runner.rollouts.rows(source, group.group);
        const row = rows.find((one) => one.task === task && one.sample === sample);
        if (row) found.push({ group, row });
      }
      return found;
    },
    checkHarness: ({ context, source }) => bench.check(context, source),
    evaluateHarness: (params) => bench.evaluate(params),
    submitHarness: ({ source, hypothesis }) => bench.submit(source, hypothesis),
    readStorage: () => readStorage(),
  };
}
