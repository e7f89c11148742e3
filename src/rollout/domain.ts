/**
 * The contract of a domain: tasks by split, tools, verifier, limits, a first harness and what a proposer should know.
 *
 * A domain owns its verifier; nothing in `gold` ever enters an isolate or a trace that a proposer reads.
 */
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Sandbox } from "../sandbox/isolate.ts";

/** The four disjoint uses of tasks: RSFT, harness search, choice of the reported point, and report. */
export const SPLITS = ["weight", "harness", "validation", "test"] as const;
/** One of `SPLITS`. */
export type Split = (typeof SPLITS)[number];

/** One task. */
export type Task = {
  /** Content hash of `view`, so that equal tasks have equal ids; splits share none. */
  readonly id: string;
  /** What the harness sees, such as `{ question }`. */
  readonly view: JsonObject;
  /** What only the verifier sees. */
  readonly gold: JsonValue;
  /** Where it came from: a tier of the toy generator, or a file and row. */
  readonly source: string;
};

/** Tasks by split. */
export type TaskSet = Readonly<Record<Split, readonly Task[]>>;

/** A file that the user named (decompression is the loader's business). */
export type DataFile = {
  readonly name: string;
  /** Its bytes in order, from the start at each call; a file may be larger than memory. */
  readonly chunks: () => AsyncIterable<Uint8Array>;
};

/**
 * Texts to vectors of one length, for dense retrieval; row `i` belongs to text `i`, each of Euclidean norm 1. Some models
 * (E5) mark what asks and what is asked for, so both say what they are.
 */
export type EmbedTexts = (texts: readonly string[], role: "query" | "passage") => Promise<readonly Float32Array[]>;

/** What `Domain.load` needs to know. */
export type LoadOptions = {
  readonly seed: number;
  /** Most tasks in each split; a real file that holds fewer is divided in the same proportions. */
  readonly sizes: Readonly<Record<Split, number>>;
  /**
   * Tasks that will be used of each split, from its first on: so many are given of what `sizes` makes of the split, and a
   * generator need not make the rest. @default all
   */
  readonly needed?: Readonly<Record<Split, number>>;
  /** Difficulty tier of the toy generator. */
  readonly tier?: string;
  /** Real data instead of the toy generator. */
  readonly data?: DataFile;
  /** Passages to search, where a domain has such a tool and `data` brings none. */
  readonly corpus?: DataFile;
  /** Ranks passages by meaning beside their words, where a domain can. */
  readonly embed?: EmbedTexts;
};

/** Rows of a real file that could not be used, by reason. */
export type SkippedRows = { readonly reason: string; readonly count: number; readonly first: string };

/** One row of a real file: a task, or why there is none; `number` counts from 1 as an editor does. */
export type TaskRow = { readonly number: number } & (
  | {
      readonly task: Task;
      /** What the file itself calls the row, where it does; tasks are told apart by content. */
      readonly name?: string;
      readonly skip?: undefined;
    }
  | { readonly task?: undefined; readonly skip: string }
);

/** What `Domain.load` gives. */
export type LoadedTasks = {
  readonly tasks: TaskSet;
  readonly skipped: readonly SkippedRows[];
  /** The domain to play `tasks` with: the same, or bound to what was loaded beside them, such as a search index. */
  readonly domain: Domain;
};

/** Counted limits of one rollout; a harness may use less, never more. */
export type RolloutLimits = {
  /** Sampled tokens over all turns. */
  readonly tokens: number;
  /** Model calls. */
  readonly turns: number;
  /** Tool calls. */
  readonly toolCalls: number;
  /** Isolate interrupts, one for each 10,000 bytecode polls. */
  readonly fuel: number;
  /** Isolate heap, in bytes. */
  readonly memory: number;
};

/** The verifier's judgement of one rollout. */
export type Verdict = {
  /** 1 solved, 0 not; RSFT accepts above 0.5. */
  readonly reward: number;
  /** A few words, such as `correct`, `wrong value`, `no boxed answer`; never the gold answer. */
  readonly reason: string;
};

/** A tool as the harness calls it: `env.tools.<name>(...args)`. Rejects with a `TaskError` for bad arguments. */
export type ToolFunction = (args: readonly JsonValue[]) => Promise<JsonValue> | JsonValue;

/** What the verifier may look at when the harness has returned. */
export type EpisodeEnd = {
  /** What `solve` returned. */
  readonly returned: JsonValue | undefined;
  /** Every text that the model sampled in this rollout, in order. */
  readonly sampled: readonly string[];
};

/** One task being played: its tools with their state, and the judgement at the end. */
export type Episode = {
  readonly tools: Readonly<Record<string, ToolFunction>>;
  /** Judges the rollout; called once. */
  readonly judge: (end: EpisodeEnd) => Verdict;
  /**
   * The values that must have come out of the model (provenance), such as the returned answer or the moves played;
   * read after `judge`.
   */
  readonly claims: (end: EpisodeEnd) => readonly string[];
};

/** Phrases by the UPPER_CASE constant they may stand in; the proposer draws from here. */
export type PhraseBank = Readonly<Record<string, readonly string[]>>;

/** A function body that a domain offers in place of one of its h0's named functions. */
export type FunctionVariant = {
  /** Name of the top-level function it replaces, such as `parseCode`. */
  readonly target: string;
  /** Axis of `Domain.axes` it belongs to. */
  readonly axis: string;
  /** Causes of failure (`Domain.causes`) that it addresses. */
  readonly addresses: readonly string[];
  /** One sentence: what it claims to fix. */
  readonly hypothesis: string;
  /** Source of the whole function declaration. */
  readonly source: string;
};

/** Everything Spyhop needs to know of a domain. */
export type Domain = {
  /** Name on the command line, such as `math-reasoning`. */
  readonly name: string;
  readonly title: string;
  /** Tiers of the toy generator, easiest first. */
  readonly tiers: readonly string[];
  readonly defaultTier: string;
  readonly limits: RolloutLimits;
  /** Source of h0, deliberately weak. */
  readonly seedHarness: string;
  /** Mechanism axes a candidate may name. */
  readonly axes: readonly string[];
  /** Markdown for proposers: rules of the domain, what each axis means, what is forbidden. */
  readonly guide: string;
  readonly phrases: PhraseBank;
  readonly variants: readonly FunctionVariant[];
  /** Causes a failed rollout can have, most specific first; `diagnose` gives one of them. */
  readonly causes: readonly string[];
  /** Names the cause of a failed rollout from its redacted trace. */
  readonly diagnose: (trace: DiagnosableTrace) => string;
  /**
   * The tasks of a real file, row by row in constant memory; for `load`, and for whoever checks a file.
   * @throws {TaskError} If the file as a whole cannot be read: damaged, empty, or without known columns.
   */
  readonly read: (data: DataFile) => AsyncIterable<TaskRow>;
  /** @throws {TaskError} If the data cannot be read, or a split would stay empty. */
  readonly load: (options: LoadOptions) => Promise<LoadedTasks>;
  /** Opens `task` for one rollout; `seed` keys whatever randomness its tools have. */
  readonly open: (task: Task, context: EpisodeContext) => Episode;
  /** Plays the gold answer of `task`, or one that must be refused, and judges it: the self-check of verifier and data. */
  readonly playAnswer: (task: Task, answer: "gold" | "corrupted", context: EpisodeContext) => Promise<Verdict>;
  /**
   * What a model could say at random on this task, for the null-model check; chance is the share of these that win.
   * `screen` is the text of the conversation so far, from which it may pick an option (a legal move, a word of a passage);
   * empty where replies are judged without a harness.
   */
  readonly nullReply: (task: Task, draw: () => number, screen: string) => string;
};

/** What a domain's tools may use of the host. */
export type EpisodeContext = { readonly sandbox: Sandbox; readonly seed: string };

/** The part of a trace that `diagnose` reads. */
export type DiagnosableTrace = {
  readonly outcome: string;
  readonly reason: string;
  readonly turns: readonly { readonly text: string; readonly finish: string }[];
  readonly toolCalls: readonly { readonly name: string; readonly ok: boolean; readonly result: string }[];
  readonly returned: JsonValue | undefined;
};
