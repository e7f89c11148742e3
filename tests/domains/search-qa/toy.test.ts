/** The toy of real facts: determinism, disjoint splits, questions that its corpora answer, nothing that pretraining held. */
import { expect, test } from "vitest";
import { searchQa } from "../../../domains/search-qa/domain.ts";
import { elementFamilies, countryFamilies } from "../../../domains/search-qa/toy/facts.ts";
import { familiesOf, generateTasks, splitOfFamily } from "../../../domains/search-qa/toy/tasks.ts";
import { mentionsAnswer } from "../../../domains/search-qa/verify.ts";
import { TIERS } from "../../../domains/search-qa/toy/tiers.ts";
import { isHeldOutName } from "../../../scripts/pretrain/names.ts";
import { transcriptAt } from "../../../scripts/pretrain/corpus.ts";
import { SPLITS } from "../../../src/rollout/domain.ts";

const SIZES = { weight: 200, harness: 60, validation: 40, test: 50 };

type Gold = { readonly answers: readonly string[]; readonly corpus: string };

test("facts are those of the packages", () => {
  const families = [...countryFamilies(), ...elementFamilies()];
  const find = (name: string): unknown =>
    families.flatMap(({ entities }) => entities).find((entity) => entity.name === name);
  expect(find("Norway")).toMatchObject({
    facts: { capital: "Oslo", currency: "Norwegian Krone", phone: "47", code: "NO" },
  });
  expect(find("Oslo")).toMatchObject({ family: "Norway", facts: { country: "Norway", continent: "Europe" } });
  expect(find("Iron")).toMatchObject({ facts: { symbol: "Fe", number: "26", melting: "1811" } });
  expect(families.length).toBeGreaterThan(250);
});

test.each(TIERS)("tier %s gives the tasks asked for, and equal ones for an equal seed", (tier) => {
  const { tasks } = generateTasks({ seed: 2, sizes: SIZES, tier });
  expect(SPLITS.map((split) => tasks[split].length)).toEqual([200, 60, 40, 50]);
  expect(generateTasks({ seed: 2, sizes: SIZES, tier }).tasks).toEqual(tasks);
  expect(generateTasks({ seed: 3, sizes: SIZES, tier }).tasks.test).not.toEqual(tasks.test);
});

test.each(TIERS)(
  "each answer of tier %s stands in a passage of its corpus, and its question does not hold it",
  (tier) => {
    const { tasks, corpora } = generateTasks({ seed: 4, sizes: SIZES, tier });
    for (const task of SPLITS.flatMap((split) => tasks[split])) {
      const { answers, corpus } = task.gold as Gold;
      const passages = corpora.get(corpus) ?? [];
      expect(passages.some(({ text }) => mentionsAnswer(text, answers))).toBe(true);
      expect(passages.length).toBeGreaterThan(15);
    }
  },
);

test("splits share neither questions, whatever the seed, nor entities", () => {
  const splitOf = new Map<string, string>();
  for (const seed of [0, 1, 2])
    for (const tier of TIERS) {
      const { tasks } = generateTasks({ seed, sizes: SIZES, tier });
      for (const split of SPLITS)
        for (const { id } of tasks[split]) {
          expect(splitOf.get(id) ?? split).toBe(split);
          splitOf.set(id, split);
        }
    }
  const owner = new Map<string, string>();
  for (const split of SPLITS)
    for (const { name, entities } of familiesOf(split))
      for (const entity of entities) {
        // Two countries may share the name of a currency unit's country, never an entity across splits.
        expect(owner.get(`${entity.kind} ${entity.name}`) ?? split).toBe(split);
        owner.set(`${entity.kind} ${entity.name}`, split);
        expect(splitOfFamily({ name })).toBe(split);
      }
});

test("worlds of the training split differ in families and wording", () => {
  const { corpora } = generateTasks({ seed: 0, sizes: SIZES });
  const worlds = [...corpora].filter(([name]) => name.startsWith("weight-")).map(([, passages]) => passages);
  expect(worlds.length).toBeGreaterThan(8);
  const titles = worlds.map((passages) =>
    passages
      .map(({ title }) => title)
      .toSorted()
      .join(),
  );
  expect(new Set(titles).size).toBe(worlds.length);
  const texts = (title: string): string[] =>
    worlds.flatMap((world) => world.filter((p) => p.title === title)).map(({ text }) => text);
  expect(new Set(texts("Italy")).size).toBeGreaterThan(1);
});

/** Names that `drawName` of the pretraining corpus can make: two or three of its syllables. */
const SYLLABLES = (() => {
  const onset = "(?:b|br|d|dr|f|g|h|k|kr|l|m|n|p|r|s|st|t|tr|v|z)";
  return new RegExp(`^${onset}[aeiou](?:${onset}[aeiou])?${onset}[aeiou](?:l|m|n|r|s|x|sk|nd|th)?$`, "i");
})();

test("no entity outside of the training split can be made by the name generator of pretraining", () => {
  const entities = (["harness", "validation", "test"] as const)
    .flatMap(familiesOf)
    .flatMap((family) => family.entities);
  const makes = (word: string): boolean => SYLLABLES.test(word) && !isHeldOutName(word);
  expect(makes("Mali")).toBe(true);
  expect(entities.filter(({ name }) => name.split(" ").every(makes)).map(({ name }) => name)).toEqual([]);
});

test("no entity outside of the training split stands in the pretraining corpus", () => {
  const words = new Set<string>();
  for (let index = 0; index < 250; index += 1)
    for (const { content } of transcriptAt(3, index).messages)
      for (const word of content.match(/[\p{L}\p{N}]+/gu) ?? []) words.add(word);
  const entities = (["harness", "validation", "test"] as const)
    .flatMap(familiesOf)
    .flatMap((family) => family.entities);
  expect(words.has("Silver")).toBe(true);
  expect(
    entities.filter(({ name }) => name.split(" ").every((word) => words.has(word))).map(({ name }) => name),
  ).toEqual([]);
});

test("load refuses a tier that does not exist", async () => {
  await expect(searchQa.load({ seed: 1, sizes: SIZES, tier: "absurd" })).rejects.toThrow(
    /search-qa: no tier absurd, the tiers are plain, similar, linked, far/,
  );
});
