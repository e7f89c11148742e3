/**
 * The toy task set: questions over worlds of real facts. Families are divided among the splits by hash, so no split asks
 * about an entity of another, and each split has worlds of its own.
 */
import { TaskError } from "../../../src/base/errors.ts";
import { hashContent } from "../../../src/base/hash.ts";
import { createRng } from "../../../src/base/rng.ts";
import { SPLITS, type LoadOptions, type Split, type Task } from "../../../src/rollout/domain.ts";
import { createTask, neededSizes, shareOfId } from "../../shared/splits.ts";
import type { Passage } from "../passage.ts";
import { countryFamilies, elementFamilies, type Family } from "./facts.ts";
import { DEFAULT_TIER, TIER_SETTINGS, TIERS, type Tier } from "./tiers.ts";
import { createWorld } from "./world.ts";

/** Tasks by split, each naming the corpus that answers it, and the corpora. */
export type ToyTasks = {
  readonly tasks: Readonly<Record<Split, readonly Task[]>>;
  readonly corpora: ReadonlyMap<string, readonly Passage[]>;
};

/** Tasks that share a world. */
const TASKS_A_WORLD = 16;
/** Worlds in a row that bring nothing new before a split counts as used up. */
const DRY_WORLDS = 20;

/**
 * Families with a name that the tiny model's pretraining could hold, because it is made of the same syllables or is a word of
 * its texts (`Mali`, `Silver`, the symbol `No`): they are for training only.
 */
const PRETRAINED = new Set(
  (
    "Albania|American Samoa|Azerbaijan|Bahamas|Bahrain|Belize|Burundi|Comoros|Cuba|East Timor|Equatorial Guinea|France|" +
    "Gabon|Italy|Kosovo|Latvia|Lebanon|Libya|Mali|Micronesia|Mozambique|Nepal|Niger|Norway|Pakistan|Peru|Philippines|" +
    "Poland|Qatar|Rwanda|Senegal|Sudan|Tanzania|Tuvalu|Zambia|Zimbabwe|" +
    "Arsenic|Astatine|Beryllium|Boron|Helium|Indium|Iodine|Nitrogen|Nobelium|Radon|Silver"
  ).split("|"),
);

/** Share of the other families that is for training too. */
const WEIGHT_SHARE = 0.34;

/** The split of a family, whatever the seed. */
export function splitOfFamily({ name }: Pick<Family, "name">): Split {
  const share = shareOfId(hashContent(name));
  if (PRETRAINED.has(name) || share < WEIGHT_SHARE) return "weight";
  const rest = (share - WEIGHT_SHARE) / (1 - WEIGHT_SHARE);
  return rest < 1 / 3 ? "harness" : rest < 2 / 3 ? "validation" : "test";
}

let bySplit: Readonly<Record<Split, readonly Family[]>> | undefined;

/** The families of `split`. */
export function familiesOf(split: Split): readonly Family[] {
  bySplit ??= divideFamilies();
  return bySplit[split];
}

function divideFamilies(): Record<Split, readonly Family[]> {
  const all = [...countryFamilies(), ...elementFamilies()].map((family) => ({ family, split: splitOfFamily(family) }));
  const of = (wanted: Split): Family[] => all.flatMap(({ family, split }) => (split === wanted ? [family] : []));
  return { weight: of("weight"), harness: of("harness"), validation: of("validation"), test: of("test") };
}

/**
 * Generates the toy tasks that `options` ask for. Equal options give equal tasks in equal order. Where a split has fewer
 * different questions than asked for, it ends shorter.
 * @throws {TaskError} If the tier does not exist.
 */
export function generateTasks(options: Pick<LoadOptions, "seed" | "sizes" | "needed" | "tier">): ToyTasks {
  const tier = resolveTier(options.tier ?? DEFAULT_TIER);
  const corpora = new Map<string, readonly Passage[]>();
  const tasks: Record<Split, readonly Task[]> = { weight: [], harness: [], validation: [], test: [] };
  // Each split is a stream of its own, so one that ends sooner changes no other.
  const sizes = neededSizes(options);
  for (const split of SPLITS) tasks[split] = generateSplit(split, { seed: options.seed, sizes, tier }, corpora);
  return { tasks, corpora };
}

type SplitOptions = Pick<LoadOptions, "seed" | "sizes"> & { readonly tier: Tier };

function generateSplit(
  split: Split,
  { seed, sizes, tier }: SplitOptions,
  corpora: Map<string, readonly Passage[]>,
): Task[] {
  const families = familiesOf(split);
  const found = new Map<string, Task>();
  for (let number = 0, dry = 0; found.size < sizes[split] && dry < DRY_WORLDS; number += 1) {
    const corpus = `${split}-${String(number)}`;
    const { passages, questions } = createWorld(
      createRng(seed, "search-qa", tier, corpus),
      families,
      TIER_SETTINGS[tier],
    );
    corpora.set(corpus, passages);
    let added = 0;
    for (const { question, answers, kind } of questions) {
      if (added >= TASKS_A_WORLD || found.size >= sizes[split]) break;
      const task = createTask({ question }, { answers, corpus }, `${tier}/${kind}`);
      if (found.has(task.id)) continue;
      found.set(task.id, task);
      added += 1;
    }
    dry = added === 0 ? dry + 1 : 0;
  }
  return [...found.values()];
}

function resolveTier(name: string): Tier {
  const tier = TIERS.find((known) => known === name);
  if (tier === undefined) throw new TaskError(`search-qa: no tier ${name}, the tiers are ${TIERS.join(", ")}`);
  return tier;
}
