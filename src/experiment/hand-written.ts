/**
 * Harnesses that a person hands to a run: they wait in the run folder and enter the next round of the search first,
 * checked, raced and recorded like all other candidates.
 *
 *   by-hand/waiting.json        those that no round has taken yet
 *   by-hand/PHASE-ROUND.json    those that a round took
 *
 * A round writes what it takes before it proposes, so that a killed run which plays the round again takes the same, and
 * its ledger ends with the same bytes.
 */
import { ProposerError, StoreError } from "../base/errors.ts";
import { isJsonArray, type JsonValue } from "../base/json.ts";
import type { Proposal, Proposer, SearchView } from "../search/candidate.ts";
import type { RunStore } from "../store/run-store.ts";
import type { ProposerFactory } from "./context.ts";

/** Axis of a candidate that a person wrote. */
export const HAND_AXIS = "by hand";

/** A harness that waits for the search. */
export type HandWritten = {
  readonly source: string;
  /** Why it should help, in one sentence. */
  readonly hypothesis: string;
};

const FOLDER = "by-hand";
const WAITING = `${FOLDER}/waiting.json`;

type Files = Pick<RunStore, "name" | "readJson" | "writeJson">;

/** Lets `harness` enter the next round; gives how many wait now. Calls must not overlap. */
export async function submitHandWritten(store: Files, harness: HandWritten): Promise<number> {
  const waiting = [...(await readHarnesses(store, WAITING)), harness];
  await writeHarnesses(store, WAITING, waiting);
  return waiting.length;
}

/** `factory` with what waits in `store` put first in each round, as children of the incumbent. */
export function withHandWritten(factory: ProposerFactory, store: Files): ProposerFactory {
  return (context) => {
    const inner = factory(context);
    const propose = async (view: SearchView): Promise<readonly Proposal[]> => {
      const round = `${String(context.phase + 1).padStart(3, "0")}-${String(view.iteration).padStart(3, "0")}`;
      const taken = await take(store, `${FOLDER}/${round}.json`, view.count);
      const written = taken.map((harness): Proposal => {
        return { ...harness, parent: view.incumbent, axis: HAND_AXIS, mechanisms: [] };
      });
      const count = view.count - written.length;
      return count === 0 ? written : [...written, ...(await proposeRest(inner, { ...view, count }, written.length))];
    };
    return { ...inner, propose };
  };
}

/** A proposer with nothing left does not spoil a round that has other candidates. */
async function proposeRest(inner: Proposer, view: SearchView, others: number): Promise<readonly Proposal[]> {
  try {
    return await inner.propose(view);
  } catch (error) {
    if (others > 0 && error instanceof ProposerError) return [];
    throw error;
  }
}

async function take(store: Files, path: string, most: number): Promise<readonly HandWritten[]> {
  const waiting = await readHarnesses(store, WAITING);
  if ((await store.readJson(path)) !== undefined) {
    const again = await readHarnesses(store, path);
    // The kill may have come before they left the queue.
    const left = waiting.filter(({ source }) => !again.some((harness) => harness.source === source));
    if (left.length < waiting.length) await writeHarnesses(store, WAITING, left);
    return again;
  }
  if (waiting.length === 0) return [];
  const taken = waiting.slice(0, most);
  await writeHarnesses(store, path, taken);
  await writeHarnesses(store, WAITING, waiting.slice(most));
  return taken;
}

async function readHarnesses(store: Files, path: string): Promise<readonly HandWritten[]> {
  const harnesses = (await store.readJson(path))?.["harnesses"] ?? [];
  if (!isJsonArray(harnesses) || !harnesses.every(isHandWritten))
    throw new StoreError(`${store.name}/${path}: damaged, expected harnesses`);
  return harnesses as unknown as readonly HandWritten[];
}

function isHandWritten(value: JsonValue | undefined): boolean {
  const { source, hypothesis } = (value ?? {}) as Record<string, unknown>;
  return typeof source === "string" && typeof hypothesis === "string";
}

function writeHarnesses(store: Files, path: string, harnesses: readonly HandWritten[]): Promise<void> {
  return store.writeJson(path, { schema: 1, harnesses });
}
