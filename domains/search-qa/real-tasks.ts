/** Real questions with the corpus that answers them: the one that was named, or the passages that the questions bring. */
import { TaskError } from "../../src/base/errors.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../src/base/json.ts";
import {
  SPLITS,
  type DataFile,
  type LoadOptions,
  type SkippedRows,
  type Split,
  type Task,
} from "../../src/rollout/domain.ts";
import { collectTasks } from "../shared/collect.ts";
import { readCorpus } from "./corpus.ts";
import { readTasks } from "./load.ts";
import type { Passage } from "./passage.ts";

/** Tasks by split, each naming its corpus, and the corpora. */
export type RealTasks = {
  readonly tasks: Readonly<Record<Split, readonly Task[]>>;
  readonly corpora: ReadonlyMap<string, readonly Passage[]>;
  readonly skipped: readonly SkippedRows[];
};

/** Name of the one corpus. */
const CORPUS = "corpus";

/**
 * Loads the questions of `data` and their corpus. Passages of the questions' own become one corpus for all that are loaded.
 * @throws {TaskError} If a file cannot be read, or there is nothing to search.
 */
export async function loadRealTasks(data: DataFile, options: LoadOptions): Promise<RealTasks> {
  const given = options.corpus ? await readCorpus(options.corpus) : undefined;
  const { tasks, skipped } = await collectTasks(data, readTasks(data), options);
  const passages =
    given?.passages ??
    joinPassages(
      data,
      SPLITS.flatMap((split) => tasks[split]),
    );
  const bind = (split: Split): Task[] => tasks[split].map(bindTask);
  return {
    tasks: { weight: bind("weight"), harness: bind("harness"), validation: bind("validation"), test: bind("test") },
    corpora: new Map([[CORPUS, passages]]),
    skipped: [...skipped, ...(given?.skipped ?? [])],
  };
}

function bindTask(task: Task): Task {
  const answers = isJsonObject(task.gold) ? task.gold["answers"] : undefined;
  return { ...task, gold: { answers: answers ?? [], corpus: CORPUS } };
}

function joinPassages(data: DataFile, tasks: readonly Task[]): Passage[] {
  const joined = new Map<string, Passage>();
  for (const { gold } of tasks)
    for (const passage of readPassages(isJsonObject(gold) ? gold["passages"] : undefined))
      joined.set(`${passage.title}\n${passage.text}`, passage);
  if (joined.size === 0)
    throw new TaskError(
      `${data.name}: its questions bring no passages; pass --corpus FILE with the passages to search`,
    );
  return [...joined.values()];
}

function readPassages(value: JsonValue | undefined): Passage[] {
  if (!isJsonArray(value)) return [];
  return value.flatMap((row) => {
    const { title, text } = isJsonObject(row) ? row : {};
    return typeof title === "string" && typeof text === "string" ? [{ title, text }] : [];
  });
}
