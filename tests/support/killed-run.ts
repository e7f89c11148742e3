/** Runs that are killed at a chosen write and resumed, in memory. */
import type { ExperimentConfig } from "../../src/experiment/config.ts";
import type { ExperimentParts, ProposerFactory } from "../../src/experiment/context.ts";
import { runExperiment } from "../../src/experiment/run.ts";
import type { Sandbox } from "../../src/sandbox/isolate.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import { createRun, openRun } from "../../src/store/run-store.ts";
import { Crash, createCrashingStore } from "./crashing-store.ts";
import { makeParts } from "./experiment.ts";

/** The files of a run folder. */
export type RunFiles = Map<string, Uint8Array>;

/** Which run, and where its files are. */
export type RunLife = {
  readonly config: ExperimentConfig;
  readonly sandbox: Sandbox;
  readonly files: RunFiles;
  /** @default the scripted one */
  readonly proposer?: (parts: ExperimentParts) => ProposerFactory;
};

/** Starts or resumes a run as a new process would, and kills it at its `at`-th write, if it gets that far. */
export async function live({ config, sandbox, files, proposer }: RunLife, at = Infinity): Promise<"done" | "killed"> {
  const blobs = createCrashingStore(createMemoryStore(files), { at, done: (at % 4) / 4 });
  try {
    const isNew = !files.has("config.json");
    const store = isNew ? await createRun(blobs, { name: "run", config }) : await openRun(blobs, "run");
    const parts = makeParts(config, { sandbox, store });
    await runExperiment(config, proposer === undefined ? parts : { ...parts, proposer: proposer(parts) });
    return "done";
  } catch (error) {
    if (error instanceof Crash) return "killed";
    throw error;
  }
}

/** The two files that must not depend on kills, as text. */
export function ledgerText(files: RunFiles): string {
  const text = (path: string): string => new TextDecoder().decode(files.get(path));
  return `${text("events.jsonl")}${text("summary.json")}`;
}

/**
 * Kills a run at each `stride`-th of its writes, each time from the start, and resumes it.
 * Returns the writes after whose kill the ledger ended otherwise than that of a run that was left alone, and how often it
 * was killed.
 */
export async function killEverywhere(
  { config, sandbox }: Omit<RunLife, "files">,
  stride: number,
): Promise<{ readonly kills: number; readonly differing: readonly number[] }> {
  const whole: RunFiles = new Map();
  await live({ config, sandbox, files: whole });
  const differing: number[] = [];
  for (let at = 0; ; at += stride) {
    const files: RunFiles = new Map();
    const life = { config, sandbox, files };
    if ((await live(life, at)) === "done") return { kills: at / stride, differing };
    const ending = await live(life);
    if (ending !== "done" || ledgerText(files) !== ledgerText(whole)) differing.push(at);
  }
}
