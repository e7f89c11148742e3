/** The commands about a harness that a person wrote: check it, evaluate it, hand it to the run under way. */
import {
  CONDITION_TABLE,
  openPolicy,
  parseHarness,
  planPhases,
  planSchedule,
  submitHandWritten,
  type BlobStore,
  type ExperimentConfig,
} from "../../src/index.ts";
import type { CheckReport, EvaluationReport, HarnessContext } from "../protocol/by-hand.ts";
import type { LabCommands } from "../protocol/messages.ts";
import { type ActiveRun } from "./active-run.ts";
import type { Booted } from "./boot.ts";
import { evaluatePair, judgeHarness, type PairOptions, type PairResult } from "./harness-bench.ts";
import { configOf } from "./choice.ts";
import type { LabLibrary } from "./lab-library.ts";
import type { LabRunner } from "./lab-runner.ts";
import { busy, LabProblem } from "./problems.ts";
import { findDomain, MODEL, MODEL_FOLDER } from "./registry.ts";
import { openRunFolder } from "./shelf.ts";

type EvaluateParams = LabCommands["evaluateHarness"]["params"];

/** Judges harnesses. */
export class LabBench {
  readonly #booted: Booted;
  readonly #runner: LabRunner;
  readonly #library: LabLibrary;
  #evaluations = 0;

  constructor(booted: Booted, lab: { readonly runner: LabRunner; readonly library: LabLibrary }) {
    this.#booted = booted;
    this.#runner = lab.runner;
    this.#library = lab.library;
  }

  async check(context: HarnessContext, source: string): Promise<CheckReport> {
    return judgeHarness(await this.#config(context), this.#booted.codec, source);
  }

  async evaluate(params: EvaluateParams): Promise<EvaluationReport> {
    const { context, source, against, tasks = 16, samples = 4 } = params;
    parseHarness(source);
    const config = await this.#config(context);
    this.#evaluations += 1;
    const second = await this.#rival(context, config, against);
    const pair = {
      ...{ config, tasks, samples, second },
      codec: this.#booted.codec,
      first: { name: "", source },
      title: String(this.#evaluations),
    };
    const { active } = this.#runner;
    const isOfRun = "run" in context;
    if (active && !(isOfRun && context.run === active.run))
      throw busy("Another run has the model.", "Stop it, or evaluate the harness in that run.");
    const result = active ? await evaluateBetween(active, pair) : await this.#evaluateAlone(context, pair);
    if (isOfRun) for (const group of result.groups) this.#runner.rollouts.add(context.run, group);
    return result.report;
  }

  async submit(source: string, hypothesis: string): Promise<{ readonly waiting: number }> {
    const { active } = this.#runner;
    if (!active) throw busy("No run is going on.", "Start a run, or go on with one.");
    parseHarness(source);
    refuseUnlessSearched(active);
    const reason = hypothesis.trim() || "Written by hand.";
    const waiting = await active.gate.between(() => submitHandWritten(active.store, { source, hypothesis: reason }));
    return { waiting };
  }

  /** Opens the model with the weights that the run reports, or the base weights. */
  #evaluateAlone(context: HarnessContext, pair: Omit<PairOptions, "policy" | "weights">): Promise<PairResult> {
    return this.#runner.withModel(async () => {
      const folder = "run" in context ? openRunFolder(context.run) : undefined;
      const reported = "run" in context ? await this.#library.read(context.run) : undefined;
      const step = folder && (await lastCheckpoint(folder, reported?.summary?.chosen.step ?? 0));
      await using opened = await openPolicy({
        ...{ name: MODEL, folder: MODEL_FOLDER, runtime: this.#booted.device.runtime, config: pair.config },
        ...(folder && step !== undefined && { adapter: checkpointReader(folder, step) }),
      });
      return await evaluatePair({ ...pair, policy: opened.policy, weights: describeWeights(step ?? 0) });
    });
  }

  async #config(context: HarnessContext): Promise<ExperimentConfig> {
    if (!("run" in context)) return configOf(context.choice);
    const { active } = this.#runner;
    return active?.run === context.run ? active.config : (await this.#library.source(context.run)).config;
  }

  async #rival(context: HarnessContext, config: ExperimentConfig, name = "h0"): Promise<PairOptions["second"]> {
    if ("run" in context) return { name, source: (await this.#library.readHarness(context.run, name)).source };
    return { name: "h0", source: (await findDomain(config.domain)).seedHarness };
  }
}

function evaluateBetween(active: ActiveRun, pair: Omit<PairOptions, "policy" | "weights">): Promise<PairResult> {
  const { policy } = active.opened;
  return active.gate.between(() => {
    const { step = 0 } = (active.store.lastMark() ?? {}) as { readonly step?: number };
    return evaluatePair({ ...pair, policy, weights: describeWeights(step) });
  });
}

/** A search must still be to come, or the harness would wait for ever. */
function refuseUnlessSearched({ config, store }: ActiveRun): void {
  const refuse = (what: string): LabProblem =>
    new LabProblem({
      kind: "harness",
      what,
      safe: "The run goes on as it was.",
      next: "Evaluate the harness instead, or start a run whose search is still to come.",
    });
  if (!CONDITION_TABLE[config.condition].harness)
    throw refuse(`The condition ${config.condition} searches no harness.`);
  const { progress, stage } = (store.lastMark() ?? {}) as {
    readonly progress?: { readonly phases: number };
    readonly stage?: { readonly kind: string } | null;
  };
  const over = (progress?.phases ?? 0) + (stage?.kind === "evaluation" ? 1 : 0);
  const isToCome = planPhases(planSchedule(config)).some(({ kind, index }) => kind === "harness" && index > over);
  if (!isToCome) throw refuse("The last search of this run is over.");
}

function describeWeights(step: number): string {
  return step === 0 ? "the untrained weights" : `the weights after step ${String(step)}`;
}

/** The newest checkpoint up to `step`; a step that learned nothing wrote none. */
async function lastCheckpoint(folder: BlobStore, step: number): Promise<number | undefined> {
  const steps = (await folder.list("checkpoints")).flatMap((path) => {
    const found = /step-(\d+)\/adapter_model\.safetensors$/.exec(path)?.[1];
    return found === undefined || Number(found) > step ? [] : [Number(found)];
  });
  return steps.length === 0 ? undefined : Math.max(...steps);
}

function checkpointReader(folder: BlobStore, step: number): NonNullable<Parameters<typeof openPolicy>[0]["adapter"]> {
  const name = `checkpoints/step-${String(step).padStart(6, "0")}`;
  return { name, read: (path) => folder.read(`${name}/${path}`) };
}
