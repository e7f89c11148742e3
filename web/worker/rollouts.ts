/**
 * Rollouts of a run as the page shows them, from the files in `traces/`. A run without them, from an older version, still
 * has the transcripts of its evaluations. Rollouts made by hand in the editor are kept in memory.
 */
import {
  parseTraceHeader,
  parseTraces,
  readRun,
  redactTrace,
  TRACE_VERSION,
  TRACES_FOLDER,
  type BlobStore,
  type ChatCodec,
  type ExperimentConfig,
  type RolloutTrace,
  type Split,
  type Task,
  type TraceHeader,
} from "../../src/index.ts";
import type { RolloutGroup, RolloutRow, RolloutStep, RolloutView, TokenView } from "../protocol/rollouts.ts";
import { LabProblem } from "./problems.ts";
import { findTask, loadTasks, type PlayableTasks } from "./tasks.ts";

/** A run that rollouts are read from. */
export type RolloutSource = { readonly run: string; readonly folder: BlobStore; readonly config: ExperimentConfig };

/** Rollouts that were made outside of the run's own course. */
export type ExtraGroup = { readonly group: RolloutGroup; readonly traces: readonly RolloutTrace[] };

/** Files of traces that are kept read. */
const MOST_FILES = 6;

/** Reads the rollouts of runs. */
export class RolloutReader {
  readonly #codec: ChatCodec;
  readonly #headers = new Map<string, TraceHeader>();
  readonly #files = new Map<string, readonly RolloutTrace[]>();
  readonly #extra = new Map<string, ExtraGroup[]>();

  constructor(codec: ChatCodec) {
    this.#codec = codec;
  }

  /** Keeps `extra` with `run` while the worker lives. */
  add(run: string, extra: ExtraGroup): void {
    this.#extra.set(run, [...(this.#extra.get(run) ?? []), extra]);
  }

  /** Groups in the order in which they were made. */
  async groups(source: RolloutSource): Promise<RolloutGroup[]> {
    const paths = (await source.folder.list(TRACES_FOLDER)).filter((path) => path.endsWith(".jsonl.gz"));
    const found: { readonly first: number; readonly group: RolloutGroup }[] = [];
    for (const path of paths) {
      const header = await this.#header(source, path);
      if (header) found.push({ first: header.first, group: describeGroup(path, header) });
    }
    found.sort((a, b) => a.first - b.first);
    const groups = found.length > 0 ? found.map(({ group }) => group) : await oldGroups(source);
    return [...groups, ...(this.#extra.get(source.run) ?? []).map(({ group }) => group)];
  }

  /** What a file of traces that was just written holds. */
  async describe(source: RolloutSource, path: string, bytes: Uint8Array): Promise<RolloutGroup> {
    const header = await parseTraceHeader(bytes, path);
    this.#headers.set(`${source.run}/${path}`, header);
    this.#files.delete(`${source.run}/${path}`);
    return describeGroup(path, header);
  }

  /** The rollouts of a group. */
  async rows(source: RolloutSource, group: string): Promise<RolloutRow[]> {
    const [traces, playable] = [await this.#traces(source, group), await playableOf(source)];
    return traces.map((trace, index) => describeRow(trace, { source, group, index, playable }));
  }

  /** One rollout in full. */
  async view(source: RolloutSource, ref: string): Promise<RolloutView> {
    const [group = "", number = ""] = ref.split("#");
    const trace = (await this.#traces(source, group))[Number(number)];
    if (!trace) throw missing();
    const playable = await playableOf(source);
    const row = describeRow(trace, { source, group, index: Number(number), playable });
    const task = playable && findTask(playable, trace.task);
    const { detail, message, returned, usage } = trace;
    return {
      ...row,
      ...{ detail, message, returned, usage, group },
      domain: source.config.domain,
      view: task?.view,
      gold: task?.gold ?? null,
      steps: trace.steps.map((step) => this.#step(step, row.isAccepted)),
      cause: trace.reward > 0.5 || !playable ? "" : playable.domain.diagnose(redactTrace(trace)),
    };
  }

  /** Forgets what is known of `run`, which has changed as a whole. */
  forget(run: string): void {
    for (const known of [this.#headers, this.#files])
      for (const key of known.keys()) if (key.startsWith(`${run}/`)) known.delete(key);
    this.#extra.delete(run);
  }

  #step(step: RolloutTrace["steps"][number], isTrained: boolean): RolloutStep {
    if (step.kind !== "chat") return step;
    const { ids, logprobs, ...rest } = step;
    const texts = tokenTexts(ids, this.#codec);
    const tokens = texts.map((text, i): TokenView => {
      return { text, probability: Math.exp(logprobs[i] ?? 0), isTrained };
    });
    return { ...rest, tokens };
  }

  async #header({ run, folder }: RolloutSource, path: string): Promise<TraceHeader | undefined> {
    const key = `${run}/${path}`;
    const known = this.#headers.get(key);
    if (known) return known;
    const bytes = await folder.read(path);
    // A file that is being written again, or was torn, is left out rather than ending the list.
    const header = bytes && (await parseTraceHeader(bytes, path).catch(() => undefined));
    if (header) this.#headers.set(key, header);
    return header;
  }

  async #traces(source: RolloutSource, group: string): Promise<readonly RolloutTrace[]> {
    const extra = this.#extra.get(source.run)?.find((entry) => entry.group.group === group);
    if (extra) return extra.traces;
    const key = `${source.run}/${group}`;
    const known = this.#files.get(key);
    if (known) return known;
    const bytes = /^(traces|evaluations)\/[^#]+$/.test(group) ? await source.folder.read(group) : undefined;
    if (!bytes) throw missing();
    const traces = group.startsWith(TRACES_FOLDER) ? (await parseTraces(bytes, group)).traces : oldTraces(bytes);
    this.#files.set(key, traces);
    for (const old of [...this.#files.keys()].slice(0, Math.max(0, this.#files.size - MOST_FILES)))
      this.#files.delete(old);
    return traces;
  }
}

/** The text of each id: what it adds to the text of those before it, so that a character of several tokens stands once. */
function tokenTexts(ids: readonly number[], codec: Pick<ChatCodec, "decode">): string[] {
  let before = "";
  return ids.map((_, i) => {
    const text = codec.decode(ids.slice(0, i + 1));
    // An unfinished character decodes to a replacement; it is shown with the token that finishes it.
    const isWhole = !text.endsWith("\uFFFD") || i === ids.length - 1;
    const added = isWhole && text.startsWith(before) ? text.slice(before.length) : "";
    if (isWhole) before = text;
    return added;
  });
}

async function playableOf({ config }: RolloutSource): Promise<PlayableTasks | undefined> {
  // Tasks from a file cannot be made again here; the rollout can be read all the same.
  return loadTasks(config).catch(() => undefined);
}

type RowContext = {
  readonly source: RolloutSource;
  readonly group: string;
  readonly index: number;
  readonly playable: PlayableTasks | undefined;
};

function describeRow(trace: RolloutTrace, { source, group, index, playable }: RowContext): RolloutRow {
  const { task, reward, outcome, reason, usage, key } = trace;
  const isTraining = group.startsWith(TRACES_FOLDER) && group.includes("-weights/");
  return {
    ref: `${group}#${String(index)}`,
    task,
    sample: Number(key.split("/").at(-1)) || 0,
    title: titleOf(playable && findTask(playable, task), trace),
    ...{ reward, outcome, reason },
    isAccepted: isTraining && reward > source.config.rsft.threshold,
    tokens: usage.tokens,
    turns: usage.turns,
    toolCalls: usage.toolCalls,
  };
}

/** The first text of the task, or of the conversation; where tasks read alike, the position's side and what was played. */
function titleOf(task: Task | undefined, trace: RolloutTrace): string {
  const view: Readonly<Record<string, unknown>> = task?.view ?? {};
  const texts = Object.values(view).filter((value) => typeof value === "string");
  const chat = trace.steps.find((step) => step.kind === "chat");
  const moves = trace.steps.flatMap((step) => (step.kind === "tool" && step.name === "play" ? [step.args[0]] : []));
  if (typeof view["fen"] === "string" && typeof view["side"] === "string")
    return `${view["side"]} to move: ${moves.filter((move) => typeof move === "string").join(", ") || "nothing played"}`;
  const text = texts[0] ?? chat?.messages.findLast(({ role }) => role === "user")?.content ?? "";
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}

function describeGroup(group: string, header: TraceHeader): RolloutGroup {
  const { use, phase, step, harness, rollouts, reward, purpose } = header;
  const split: Split | "" = purpose === "validation" || purpose === "test" ? purpose : "";
  return {
    ...{ group, use, phase, step, split, harness, rollouts },
    label: labelOf(header),
    solved: Math.round(reward * rollouts),
  };
}

function labelOf({ use, phase, step, harness, purpose }: TraceHeader): string {
  if (use === "weights") return `Training step ${String(step)}`;
  if (use === "harness") return `Candidate ${harness} in phase ${String(phase)}`;
  const split = purpose === "test" ? "Test" : "Validation";
  return phase === 0 ? `${split} before anything was learned` : `${split} after phase ${String(phase)}`;
}

/** Evaluations of a run that keeps no traces. */
async function oldGroups({ run, folder }: RolloutSource): Promise<RolloutGroup[]> {
  const groups: RolloutGroup[] = [];
  const { events } = await readRun(folder, run);
  for (const event of events) {
    if (event["kind"] !== "evaluation" || event["reused"] === true) continue;
    const phase = Number(event["index"]);
    const group = `evaluations/${String(phase).padStart(3, "0")}.json`;
    const bytes = await folder.read(group);
    if (!bytes) continue;
    const traces = oldTraces(bytes);
    const { step, harness } = event["point"] as { readonly step: number; readonly harness: string };
    const label = phase === 0 ? "Test before anything was learned" : `Test after phase ${String(phase)}`;
    const solved = traces.filter(({ reward }) => reward > 0.5).length;
    groups.push({
      ...{ group, use: "evaluation", phase, step, split: "test", harness, label },
      ...{ rollouts: traces.length, solved },
    });
  }
  return groups;
}

function oldTraces(bytes: Uint8Array): RolloutTrace[] {
  const { transcripts = [] } = JSON.parse(new TextDecoder().decode(bytes)) as {
    readonly transcripts?: readonly (Omit<RolloutTrace, "version"> & { readonly version: number })[];
  };
  return transcripts.filter((trace): trace is RolloutTrace => trace.version === TRACE_VERSION);
}

function missing(): LabProblem {
  return new LabProblem({
    kind: "damaged",
    what: "This rollout is not stored.",
    safe: "The run is as it was.",
    next: "Choose another one.",
  });
}
