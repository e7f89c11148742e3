/**
 * Whether a file of real tasks can be trusted: every row is read, every gold answer and one corrupted answer of every row
 * go through the verifier, and the splits are named by hashes. Memory does not grow with the file; it is read twice.
 */
import { hashJson } from "../base/hash.ts";
import {
  SPLITS,
  type Domain,
  type DataFile,
  type EpisodeContext,
  type LoadOptions,
  type SkippedRows,
  type Split,
  type Task,
  type TaskSet,
} from "../rollout/domain.ts";
import { SeenTasks } from "./seen-tasks.ts";

/** What is checked, and for which splits. */
export type DataCheckOptions = Omit<LoadOptions, "data"> & {
  readonly data: DataFile;
  readonly sandbox: EpisodeContext["sandbox"];
  /** Called now and then with the number of rows checked. @default nothing */
  readonly onProgress?: (rows: number) => void;
};

/** Rows of one kind, such as those whose answer was judged wrongly: how many, and the first. */
export type Misjudged = { readonly count: number; readonly first: string };

/** One split as it would be loaded. */
export type SplitCheck = {
  /** Tasks asked for. */
  readonly wanted: number;
  readonly size: number;
  /** Hash of the sorted task ids: equal for equal splits, whatever their order. */
  readonly hash: string;
};

/** The outcome. */
export type DataCheck = {
  readonly rows: number;
  /** Rows that give a task of their own. */
  readonly loaded: number;
  readonly skipped: readonly SkippedRows[];
  /** Loaded rows whose gold answer the verifier accepts. */
  readonly goldAccepted: number;
  /** Loaded rows of which the verifier refuses a corrupted answer. */
  readonly corruptedRefused: number;
  readonly goldRefused: Misjudged;
  readonly corruptedAccepted: Misjudged;
  /** Loaded rows that the file calls by the name of an earlier row; both are kept, since content tells tasks apart. */
  readonly repeatedNames: Misjudged;
  readonly splits: Readonly<Record<Split, SplitCheck>>;
  /** Whether no task stands in two splits. */
  readonly disjoint: boolean;
  /** Whether repeats were looked for among all rows, and not only against the first two million. */
  readonly allRepeatsSeen: boolean;
};

const [GOLD, CORRUPTED, DISPUTED] = [1, 2, 4];
const REPEAT = "repeats an earlier row";
const DISPUTE = "repeats a question with another answer: decide which is right";
/** Rows between two reports of progress. */
const STRIDE = 10_000;

/**
 * Checks `options.data` for `domain`.
 * @throws {TaskError} If the file as a whole cannot be read, or is too small for the splits.
 */
export async function checkData(domain: Domain, options: DataCheckOptions): Promise<DataCheck> {
  const { sandbox, onProgress, ...load } = options;
  const { tasks, skipped, domain: bound } = await domain.load(load);
  const rows = new RowCheck(bound, { sandbox, seed: "data-check" });
  for await (const row of domain.read(options.data)) {
    await rows.add(row);
    if (row.number % STRIDE === 0) onProgress?.(row.number);
  }
  const found = rows.result();
  // Beside rows, a domain may skip passages of the corpus; only `load` reads those.
  const others = skipped.filter(({ reason }) => reason !== DISPUTE && found.skipped.every((s) => s.reason !== reason));
  return {
    ...found,
    skipped: [...found.skipped, ...others.filter(({ reason }) => reason !== REPEAT)],
    ...nameSplits(tasks, options.sizes),
  };
}

type RowCounts = Omit<DataCheck, "splits" | "disjoint">;
type ReadRow = {
  readonly number: number;
  readonly task?: Task | undefined;
  readonly name?: string | undefined;
  readonly skip?: string | undefined;
};

/** Plays each row once and counts. */
class RowCheck {
  readonly #domain: Domain;
  readonly #context: EpisodeContext;
  readonly #seen = new SeenTasks();
  /** Made when a file names its rows. */
  #names: SeenTasks | undefined;
  readonly #skips = new Map<string, { count: number; first: string }>();
  #rows = 0;
  #loaded = 0;
  #gold = 0;
  #corrupted = 0;
  #goldRefused: Misjudged = { count: 0, first: "" };
  #corruptedAccepted: Misjudged = { count: 0, first: "" };
  #repeatedNames: Misjudged = { count: 0, first: "" };

  constructor(domain: Domain, context: EpisodeContext) {
    this.#domain = domain;
    this.#context = context;
  }

  async add({ number, task, name, skip }: ReadRow): Promise<void> {
    this.#rows += 1;
    if (task === undefined) {
      this.#skip(skip ?? "no task", number);
      return;
    }
    const gold = hashJson(task.gold);
    const place = this.#seen.find(task.id);
    if (place !== undefined) {
      this.#repeat(place, { gold, number });
      return;
    }
    if (name !== undefined) this.#addName(name, number);
    const accepts = async (answer: "gold" | "corrupted"): Promise<boolean> =>
      (await this.#domain.playAnswer(task, answer, this.#context)).reward > 0.5;
    const isGold = await accepts("gold");
    const isRefused = !(await accepts("corrupted"));
    this.#count((isGold ? GOLD : 0) | (isRefused ? CORRUPTED : 0), 1);
    if (!isGold) this.#goldRefused = misjudge(this.#goldRefused, number);
    if (!isRefused) this.#corruptedAccepted = misjudge(this.#corruptedAccepted, number);
    this.#seen.add(task.id, gold, (isGold ? GOLD : 0) | (isRefused ? CORRUPTED : 0));
  }

  result(): RowCounts {
    return {
      rows: this.#rows,
      loaded: this.#loaded,
      skipped: [...this.#skips].map(([reason, entry]) => ({ reason, ...entry })),
      goldAccepted: this.#gold,
      corruptedRefused: this.#corrupted,
      goldRefused: this.#goldRefused,
      corruptedAccepted: this.#corruptedAccepted,
      repeatedNames: this.#repeatedNames,
      allRepeatsSeen: !this.#seen.isFull,
    };
  }

  #addName(name: string, number: number): void {
    this.#names ??= new SeenTasks();
    const hash = hashJson(name);
    if (this.#names.find(hash) === undefined) this.#names.add(hash, hash, 0);
    else this.#repeatedNames = misjudge(this.#repeatedNames, number);
  }

  /** A task whose rows disagree is left out altogether, as `Domain.load` does: its first row is then taken back. */
  #repeat(place: number, { gold, number }: { readonly gold: string; readonly number: number }): void {
    const flags = this.#seen.flags(place);
    const isDisputed = (flags & DISPUTED) !== 0;
    if (!isDisputed && this.#seen.hasGold(place, gold)) {
      this.#skip(REPEAT, number);
      return;
    }
    this.#skip(DISPUTE, number);
    if (isDisputed) return;
    this.#skip(DISPUTE, number);
    this.#count(flags, -1);
    this.#seen.setFlags(place, flags | DISPUTED);
  }

  #count(flags: number, by: 1 | -1): void {
    this.#loaded += by;
    if ((flags & GOLD) !== 0) this.#gold += by;
    if ((flags & CORRUPTED) !== 0) this.#corrupted += by;
  }

  #skip(reason: string, number: number): void {
    const entry = this.#skips.get(reason);
    if (entry) entry.count += 1;
    else this.#skips.set(reason, { count: 1, first: `row ${String(number)}` });
  }
}

function misjudge({ count, first }: Misjudged, number: number): Misjudged {
  return { count: count + 1, first: count === 0 ? `row ${String(number)}` : first };
}

function nameSplits(tasks: TaskSet, sizes: Readonly<Record<Split, number>>): Pick<DataCheck, "splits" | "disjoint"> {
  const describe = (split: Split): SplitCheck => {
    const ids = tasks[split].map(({ id }) => id);
    return { wanted: sizes[split], size: ids.length, hash: hashJson(ids.toSorted()) };
  };
  const all = SPLITS.flatMap((split) => tasks[split].map(({ id }) => id));
  return {
    splits: {
      weight: describe("weight"),
      harness: describe("harness"),
      validation: describe("validation"),
      test: describe("test"),
    },
    disjoint: new Set(all).size === all.length,
  };
}
