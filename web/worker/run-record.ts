/** A run folder as the page draws it, of a run that is done, going on or was killed. */
import {
  HAND_AXIS,
  isPromptOnlyEdit,
  readRun,
  summarize,
  type BlobStore,
  type ExperimentConfig,
  type Ledger,
  type PolicyDescription,
  type RunEvent,
  type RunSummary,
  type RunView,
} from "../../src/index.ts";
import type { CandidateRow, HarnessSource, PhaseSpan, RunListing, RunRecord, StepPoint } from "../protocol/runs.ts";
import { LabProblem } from "./problems.ts";
import { findDomain } from "./registry.ts";

/**
 * Everything that the page draws of the run behind `folder`.
 * @throws {StoreError} If a file is damaged.
 */
export async function readRecord(folder: BlobStore, listing: RunListing): Promise<RunRecord> {
  const view = await readRun(folder, listing.run);
  const events = eventsOf(view);
  const config = view.config as unknown as ExperimentConfig;
  const start = events.find((event) => event.kind === "run-start");
  const curve = events.flatMap((event) => (event.kind === "evaluation" ? [event.point] : []));
  const ledger = await readLedger(folder, view);
  return {
    listing,
    config,
    model: start?.model,
    curve,
    phases: collectPhases(events),
    steps: collectSteps(events),
    candidates: collectCandidates(events),
    harnesses: [...(await readSources(view)).keys()],
    ledger,
    isComplete: view.summary !== undefined,
    summary: (view.summary as RunSummary | undefined) ?? summarizeSoFar(config, start?.model, { curve, ledger }),
  };
}

/**
 * The harness `name` with its parent.
 * @throws {LabProblem} If the run has none of that name.
 */
export async function readHarnessSource(folder: BlobStore, run: string, name: string): Promise<HarnessSource> {
  const view = await readRun(folder, run);
  const sources = await readSources(view);
  const source = sources.get(name);
  if (source === undefined)
    throw new LabProblem({
      kind: "damaged",
      what: `This run keeps no harness called ${name}.`,
      safe: "The run is as it was.",
      next: "Choose another one.",
    });
  const parentName = collectCandidates(eventsOf(view)).find((row) => row.name === name)?.parent;
  const parent = parentName === undefined ? undefined : sources.get(parentName);
  const { domain } = view.config as unknown as ExperimentConfig;
  const first = sources.get("h0") ?? (await findDomain(domain)).seedHarness;
  return {
    name,
    source,
    parent: parentName === undefined || parent === undefined ? undefined : { name: parentName, source: parent },
    first,
    isPromptOnly: isPromptOnly(first, source),
  };
}

/** The lines of the ledger; the schema of the folder covers their shape. */
function eventsOf(view: RunView): readonly RunEvent[] {
  return view.events as readonly RunEvent[];
}

/** Sources by the names that the run uses: those in use, and all candidates that the search remembers. */
async function readSources(view: RunView): Promise<Map<string, string>> {
  const sources = new Map<string, string>();
  const decoder = new TextDecoder();
  for (const path of await view.listBlobs("harnesses")) {
    const bytes = await view.readBlob(path);
    if (bytes) sources.set(path.slice("harnesses/".length).replace(/\.js$/, ""), decoder.decode(bytes));
  }
  for (const path of await view.listBlobs("phases")) {
    const phase = /^phases\/0*(\d+)-harness\/search-\d+\.json$/.exec(path)?.[1];
    const bytes = phase === undefined ? undefined : await view.readBlob(path);
    if (phase === undefined || !bytes) continue;
    const { candidates = [] } = JSON.parse(decoder.decode(bytes)) as { readonly candidates?: readonly Sourced[] };
    for (const { name, iteration, source } of candidates) if (iteration > 0) sources.set(`p${phase}-${name}`, source);
  }
  return sources;
}

type Sourced = { readonly name: string; readonly iteration: number; readonly source: string };

async function readLedger(folder: BlobStore, view: RunView): Promise<Ledger | undefined> {
  const { ledger } = (view.summary ?? {}) as { readonly ledger?: Ledger };
  if (ledger !== undefined) return ledger;
  const mark = await folder.read("mark.json");
  const saved =
    mark && (JSON.parse(new TextDecoder().decode(mark)) as { readonly state?: { readonly ledger?: Ledger } });
  return saved?.state?.ledger;
}

/** The summary of a run that is not done, once there is an evaluation. */
function summarizeSoFar(
  config: ExperimentConfig,
  model: PolicyDescription | undefined,
  { curve, ledger }: { readonly curve: RunSummary["curve"]; readonly ledger: Ledger | undefined },
): RunSummary | undefined {
  return model === undefined || ledger === undefined || curve.length === 0
    ? undefined
    : summarize(config, model, { curve, ledger });
}

function collectPhases(events: readonly RunEvent[]): PhaseSpan[] {
  const spans: PhaseSpan[] = [];
  for (const event of events) {
    if (event.kind === "phase-start") {
      const { phase, part, cycle, length, harness, spent } = event;
      spans.push({ phase, part, cycle, length, harness, from: spent, to: spent, stopped: undefined });
    }
    const last = spans.at(-1);
    if (last === undefined) continue;
    if (event.kind === "rsft-step" || event.kind === "search-iteration")
      spans[spans.length - 1] = { ...last, to: event.spent };
    if (event.kind === "phase-end") spans[spans.length - 1] = { ...last, to: event.spent, stopped: event.stopped };
  }
  return spans;
}

function collectSteps(events: readonly RunEvent[]): StepPoint[] {
  return events.flatMap((event) => {
    if (event.kind !== "rsft-step") return [];
    return [event];
  });
}

/** Candidates are named within their phase, where `h0`, `h1`, ... come in; the page uses the names of the run. */
function collectCandidates(events: readonly RunEvent[]): CandidateRow[] {
  const rows: CandidateRow[] = [];
  let incoming: readonly string[] = ["h0"];
  const nameOf = (phase: number, name: string): string =>
    incoming[Number(name.slice(1))] ?? `p${String(phase)}-${name}`;
  for (const event of events) {
    if (event.kind === "phase-start") incoming = event.population ?? [event.harness];
    if (event.kind === "candidate") rows.push(toRow(event, (name) => nameOf(event.phase, name)));
    if (event.kind === "search-iteration") {
      const best = nameOf(event.phase, event.best);
      const at = rows.findIndex((row) => row.name === best);
      const row = rows[at];
      if (row !== undefined) rows[at] = { ...row, isAccepted: true };
    }
  }
  return rows;
}

function toRow(
  event: Extract<RunEvent, { readonly kind: "candidate" }>,
  nameOf: (name: string) => string,
): CandidateRow {
  const { phase, cycle, iteration, axis, hypothesis, mechanisms, refusedBy, reason, result } = event;
  return {
    name: nameOf(event.name),
    parent: nameOf(event.parent),
    ...{ phase, cycle, iteration, axis, hypothesis, mechanisms, refusedBy, reason },
    isByHand: axis === HAND_AXIS,
    score: result?.reward,
    turns: result?.turns,
    tokens: result?.tokens,
    gain: result?.gain,
    causes: result?.causes ?? {},
    isAccepted: false,
  };
}

/** A text that does not parse is no edit of prompts. */
function isPromptOnly(first: string, source: string): boolean {
  try {
    return isPromptOnlyEdit(first, source);
  } catch {
    return false;
  }
}
