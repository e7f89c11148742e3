/** The corpora behind a task set, indexed when they are first searched. */
import { TaskError } from "../../src/base/errors.ts";
import type { EmbedTexts } from "../../src/rollout/domain.ts";
import type { Passage } from "./passage.ts";
import { createSearchIndex, type SearchIndex } from "./search-index.ts";

/** Indexes by the name of their corpus. */
export type Library = {
  /** @throws {TaskError} If there is no such corpus. */
  readonly index: (corpus: string) => Promise<SearchIndex>;
};

/** The library of tasks that were read without a corpus; they can be judged, not searched for. */
export const NO_LIBRARY: Library = {
  index: () => Promise.reject(new TaskError("search: no corpus was loaded; pass --corpus FILE")),
};

/** Makes the library of `corpora`. A corpus that is embedded is indexed at once, since that takes long and can fail. */
export async function createLibrary(
  corpora: ReadonlyMap<string, readonly Passage[]>,
  embed: EmbedTexts | undefined,
): Promise<Library> {
  const indexes = new Map<string, Promise<SearchIndex>>();
  const index = (corpus: string): Promise<SearchIndex> => {
    const known = indexes.get(corpus);
    if (known) return known;
    const passages = corpora.get(corpus);
    if (!passages) return Promise.reject(new TaskError(`search: no corpus ${corpus}; load the tasks again`));
    const made = createSearchIndex(passages, embed);
    indexes.set(corpus, made);
    return made;
  };
  if (embed) for (const corpus of corpora.keys()) await index(corpus);
  return { index };
}
