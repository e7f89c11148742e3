/**
 * The one table of commands, their options and their help texts. Names are a contract: scripts depend on them.
 *
 * Parsing (`args.ts`) and help (`help.ts`) read it, so an option that stands here is parsed and documented.
 */
import { PROPOSERS } from "../experiment/config.ts";

/** Every option of every command. */
export type OptionName =
  | "domain"
  | "condition"
  | "proposer"
  | "model"
  | "preset"
  | "seed"
  | "out"
  | "device"
  | "data"
  | "corpus"
  | "set"
  | "adapter"
  | "harness"
  | "split"
  | "samples"
  | "tasks"
  | "task"
  | "phase"
  | "step"
  | "sample"
  | "ids"
  | "batch"
  | "steps"
  | "threads"
  | "domains"
  | "conditions"
  | "seeds"
  | "schedules"
  | "jobs"
  | "json"
  | "help";

/** How an option is written and what it means. */
export type OptionSpec = {
  readonly name: OptionName;
  /**
   * What follows it: nothing (`flag`), a `text`, an `integer` of at least `minimum`, or one of `choices`. A `list` may be
   * given several times.
   */
  readonly kind: "flag" | "text" | "list" | "integer" | "choice";
  /** The value's name in help, such as `DIR`. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly help: string;
  /** Taken where the option is not given. */
  readonly fallback?: string;
  readonly required?: boolean;
};

/** Every command, two words where there are sub-commands. */
export const COMMAND_NAMES = [
  "run",
  "resume",
  "sweep",
  "grid",
  "report",
  "compare",
  "trace",
  "export trl",
  "export adapter",
  "data check",
  "eval",
  "harness check",
  "inspect logits",
  "inspect train",
] as const;
/** One of `COMMAND_NAMES`. */
export type CommandName = (typeof COMMAND_NAMES)[number];

/** One command. */
export type CommandSpec = {
  readonly summary: string;
  /** The positional arguments' name and how many there may be. */
  readonly positionals: { readonly name: string; readonly least: number; readonly most: number };
  readonly options: readonly OptionSpec[];
  /** Lines that stand under the options. */
  readonly notes: readonly string[];
};

const NO_POSITIONALS = { name: "", least: 0, most: 0 };
const DEVICE_CHOICES = ["auto", "cpu", "wasm", "webgpu", "cuda"];
const SPLIT_CHOICES = ["weight", "harness", "validation", "test"];

const JSON_FLAG: OptionSpec = {
  name: "json",
  kind: "flag",
  help: "print one JSON document on stdout, all else on stderr",
};
const SEED: OptionSpec = {
  name: "seed",
  kind: "integer",
  minimum: 0,
  value: "N",
  fallback: "0",
  help: "seed of every random stream",
};
const DEVICE_CHOICE: OptionSpec = {
  name: "device",
  kind: "choice",
  choices: DEVICE_CHOICES,
  help: "where the model runs",
};
const DEVICE: OptionSpec = { ...DEVICE_CHOICE, fallback: "auto" };
const THREADS: OptionSpec = {
  name: "threads",
  kind: "integer",
  minimum: 1,
  value: "N",
  help: "threads on the CPU (default: one a core); a small model decodes on rollout.replicas of them",
};
const DOMAIN: OptionSpec = {
  name: "domain",
  kind: "text",
  value: "D",
  fallback: "math-reasoning",
  help: "the tasks, tools and verifier",
};
const MODEL: OptionSpec = {
  name: "model",
  kind: "text",
  value: "M",
  fallback: "tiny",
  help: "a name of ours, or a Hugging Face folder",
};
const PRESET: OptionSpec = {
  name: "preset",
  kind: "text",
  value: "P",
  fallback: "toy",
  help: "size of everything: smoke, toy or full (the paper's)",
};
const DATA: OptionSpec = {
  name: "data",
  kind: "text",
  value: "FILE",
  help: "real tasks instead of the toy generator (JSONL or Parquet)",
};
const CORPUS: OptionSpec = {
  name: "corpus",
  kind: "text",
  value: "FILE",
  help: "passages to search, for a domain that searches (JSONL)",
};
const ADAPTER: OptionSpec = {
  name: "adapter",
  kind: "text",
  value: "DIR",
  help: "a PEFT adapter folder on top of the model",
};

/** What each command takes. */
export const COMMAND_TABLE: Readonly<Record<CommandName, CommandSpec>> = {
  run: {
    summary: "run one experiment into a folder: training, harness search, evaluation, report",
    positionals: NO_POSITIONALS,
    options: [
      DOMAIN,
      {
        name: "condition",
        kind: "text",
        value: "C",
        fallback: "whale",
        help: "which phases there are and how they alternate",
      },
      MODEL,
      PRESET,
      SEED,
      {
        name: "out",
        kind: "text",
        value: "DIR",
        help: "run folder (default runs/DOMAIN-CONDITION-PRESET-seedN, or the next free one)",
      },
      DEVICE,
      DATA,
      CORPUS,
      {
        name: "proposer",
        kind: "choice",
        choices: PROPOSERS,
        help: "who writes candidates (default evolve)",
      },
      { name: "set", kind: "list", value: "KEY=VALUE", help: "change one setting of the preset; may be repeated" },
      THREADS,
      JSON_FLAG,
    ],
    notes: [
      "The folder can be resumed after any interruption with: spyhop resume DIR",
      "",
      "Proposers: evolve edits by rule what the failures suggest; random edits at random; model has the trained",
      "policy rewrite a part; agent has a language model read the archive and write candidates. agent needs",
      "  --set proposer.model=NAME, and a key in SPYHOP_PROPOSER_KEY (or ANTHROPIC_API_KEY, OPENAI_API_KEY);",
      "  --set proposer.format=openai for chat completions; --set proposer.endpoint=URL for another server;",
      "  --set proposer.turns, tokens, replyTokens, minutes, retries for what a round may spend.",
      "No file holds the key. A run with agent cannot be repeated bit for bit; proposals/ has its transcripts.",
    ],
  },
  resume: {
    summary: "continue an interrupted run",
    positionals: { name: "DIR", least: 1, most: 1 },
    options: [{ ...DEVICE_CHOICE, help: "where the model runs (default: where the run began)" }, THREADS, JSON_FLAG],
    notes: [],
  },
  sweep: {
    summary: "run every combination of domains, conditions and seeds, each into a folder of its own",
    positionals: NO_POSITIONALS,
    options: [
      { name: "domains", kind: "text", value: "D,D", help: "domains, separated by commas (default: all)" },
      {
        name: "conditions",
        kind: "text",
        value: "C,C",
        help: "conditions (default: all, or none where --schedules is given)",
      },
      { name: "schedules", kind: "flag", help: "the paper's five schedules (E, I) of whale" },
      { name: "seeds", kind: "text", value: "0-4", fallback: "0-4", help: "seeds, such as 0-4 or 0,2,5-7" },
      MODEL,
      PRESET,
      { name: "out", kind: "text", value: "DIR", required: true, help: "folder of the runs" },
      DEVICE,
      { name: "set", kind: "list", value: "KEY=VALUE", help: "change one setting of all runs; may be repeated" },
      {
        name: "jobs",
        kind: "integer",
        minimum: 1,
        value: "N",
        fallback: "1",
        help: "runs at once, each with its share of the cores",
      },
      JSON_FLAG,
    ],
    notes: [
      "Finished runs are skipped and interrupted ones resumed, so the same command goes on where it stopped.",
      "A run that fails does not stop the others; the exit status is then 1.",
      "What compare shows of the finished runs ends it, also as compare.html and compare.json in the folder.",
    ],
  },
  grid: {
    summary: "score every pair of weights and harness that a run kept",
    positionals: { name: "DIR", least: 1, most: 1 },
    options: [
      { name: "split", kind: "choice", choices: ["validation", "test"], fallback: "validation", help: "which tasks" },
      { name: "samples", kind: "integer", minimum: 1, value: "K", help: "rollouts a task (default: as in the run)" },
      { name: "tasks", kind: "integer", minimum: 1, value: "N", help: "most tasks (default: all of the split)" },
      { ...DEVICE_CHOICE, help: "where the model runs (default: where the run began)" },
      THREADS,
      JSON_FLAG,
    ],
    notes: ["Cells are written to grid.json in DIR as they are done; the same command goes on where it stopped."],
  },
  report: {
    summary: "write report.html for one run, or for several drawn over each other",
    positionals: { name: "DIR", least: 1, most: 32 },
    options: [
      { name: "out", kind: "text", value: "FILE", help: "the page to write (default report.html in the first DIR)" },
      JSON_FLAG,
    ],
    notes: [],
  },
  compare: {
    summary: "compare conditions over runs: curves, areas, differences, with intervals",
    positionals: { name: "DIR", least: 1, most: 512 },
    options: [
      { name: "out", kind: "text", value: "FILE", help: "also write the comparison as a page (HTML)" },
      JSON_FLAG,
    ],
    notes: [
      "Runs with equal settings but for the seed are one condition. Differences are paired by seed and task where",
      "runs share them, else unpaired, and the output says so. The first condition given is the reference.",
    ],
  },
  trace: {
    summary: "list the rollouts that a run kept, or print one to read",
    positionals: { name: "DIR", least: 1, most: 1 },
    options: [
      {
        name: "task",
        kind: "text",
        value: "ID|N",
        help: "a task id, its beginning, or its number in the file, from 1",
      },
      { name: "phase", kind: "integer", minimum: 0, value: "N", help: "phase of the run; 0 is the base's evaluation" },
      { name: "step", kind: "integer", minimum: 1, value: "N", help: "the rollouts that training step N learnt from" },
      { name: "sample", kind: "integer", minimum: 0, value: "N", help: "which sample of the task, from 0" },
      { name: "ids", kind: "flag", help: "show each sampled token id with its log-probability" },
      JSON_FLAG,
    ],
    notes: ["Without --phase and --step a number counts in the last evaluation on test."],
  },
  "export trl": {
    summary: "write the rollouts that a run learnt from as TRL conversations (JSONL)",
    positionals: { name: "DIR", least: 1, most: 1 },
    options: [{ name: "out", kind: "text", value: "FILE", help: "file to write (default stdout)" }, JSON_FLAG],
    notes: [],
  },
  "export adapter": {
    summary: "write a PEFT adapter folder that other tools and eval --adapter load",
    positionals: { name: "DIR", least: 1, most: 1 },
    options: [
      { name: "out", kind: "text", value: "DIR", required: true, help: "folder to write" },
      {
        name: "step",
        kind: "integer",
        minimum: 0,
        value: "N",
        help: "training step (default that of the chosen point)",
      },
      JSON_FLAG,
    ],
    notes: [],
  },
  "data check": {
    summary: "judge right and wrong answers of every row of a file, show its splits",
    positionals: { name: "FILE", least: 1, most: 1 },
    options: [DOMAIN, CORPUS, { ...PRESET, help: "whose split sizes: smoke, toy or full" }, SEED, JSON_FLAG],
    notes: ["The exit status is 1 where the verifier misjudges an answer or splits overlap."],
  },
  eval: {
    summary: "score one model with one harness",
    positionals: NO_POSITIONALS,
    options: [
      DOMAIN,
      MODEL,
      ADAPTER,
      { name: "harness", kind: "text", value: "FILE", help: "a harness (default: the domain's own first one)" },
      DATA,
      CORPUS,
      { name: "split", kind: "choice", choices: SPLIT_CHOICES, fallback: "test", help: "which tasks" },
      { name: "samples", kind: "integer", minimum: 1, value: "K", fallback: "8", help: "rollouts a task" },
      {
        name: "tasks",
        kind: "integer",
        minimum: 1,
        value: "N",
        help: "most tasks (default: what the toy preset takes)",
      },
      { name: "set", kind: "list", value: "KEY=VALUE", help: "change one setting of the toy preset; may be repeated" },
      SEED,
      DEVICE,
      JSON_FLAG,
    ],
    notes: [],
  },
  "harness check": {
    summary: "judge a harness: static rules, smoke rollout, provenance, null model",
    positionals: { name: "FILE", least: 1, most: 1 },
    options: [
      DOMAIN,
      { ...PRESET, help: "whose tasks and limits: smoke, toy or full (the paper's)" },
      {
        name: "set",
        kind: "list",
        value: "KEY=VALUE",
        help: "change one setting of the preset, such as limits.tokens; may be repeated",
      },
      JSON_FLAG,
    ],
    notes: [
      "Tasks and limits are those of a run with these settings and seed 0; the tokens are those of tiny.",
      "The exit status is 0 whenever the harness could be judged, accepted or not.",
    ],
  },
  "inspect logits": {
    summary: "print the logits of a token sequence",
    positionals: NO_POSITIONALS,
    options: [
      MODEL,
      ADAPTER,
      { name: "ids", kind: "text", value: "1,2,3", required: true, help: "token ids, separated by commas" },
      DEVICE,
      JSON_FLAG,
    ],
    notes: [],
  },
  "inspect train": {
    summary: "take optimiser steps on one batch and print losses, gradients and the adapter",
    positionals: NO_POSITIONALS,
    options: [
      MODEL,
      { ...ADAPTER, required: true },
      { name: "batch", kind: "text", value: "FILE", required: true, help: "the sequences and the optimiser, as JSON" },
      { name: "steps", kind: "integer", minimum: 1, value: "N", fallback: "1", help: "optimiser steps" },
      DEVICE,
      JSON_FLAG,
    ],
    notes: ['FILE is {"sequences":[{"ids","mask"}],"optimizer":{"lr","betas","eps","weightDecay","clip"}}'],
  },
};
