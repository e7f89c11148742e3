/** What domains, sizes and runs are called on the page, in words a student knows. */
import type { PresetName } from "../../../src/index.ts";
import type { RunListing } from "../../protocol/runs.ts";
import { CONDITION_WORDS } from "./knobs.ts";

/** Domains by name, for the time before the worker has told its own. */
export const DOMAIN_NAMES: Readonly<Record<string, string>> = {
  "math-reasoning": "Mathematics with code",
  "search-qa": "Questions with search",
  "chess-puzzles": "Chess puzzles",
};

/** Presets: a short name, and what to expect. */
export const PRESET_WORDS: Readonly<Record<PresetName, { readonly name: string; readonly hint: string }>> = {
  smoke: { name: "smoke, a minute", hint: "About a minute; shows that it works, with wide bands" },
  tab: { name: "tab, some minutes", hint: "A few minutes on a laptop; shows the effect" },
  toy: { name: "toy, larger", hint: "Larger: more tasks, narrower bands" },
  full: { name: "full, the paper’s", hint: "The paper’s sizes; needs a large machine" },
};

/** An experiment in words, such as `Chess puzzles, both in turns, smoke, seed 0`. */
export function describeExperiment({
  domain,
  condition,
  preset,
  seed,
}: {
  readonly domain: string;
  readonly condition: string;
  readonly preset: string;
  readonly seed: number;
}): string {
  const turns = Object.entries(CONDITION_WORDS).find(([name]) => name === condition)?.[1].name ?? condition;
  return `${DOMAIN_NAMES[domain] ?? domain}, ${turns.charAt(0).toLowerCase()}${turns.slice(1)}, ${preset}, seed ${String(seed)}`;
}

type Named = Pick<RunListing, "title" | "domain" | "condition" | "preset" | "seed">;

/** What a run is called: as the user named it, or by its settings in words. */
export function runTitle(run: Named): string {
  return hasOwnName(run) ? run.title : describeExperiment(run);
}

/** The same in two lines for a narrow list; the second is empty where the user named the run. */
export function splitTitle(run: Named): readonly [title: string, more: string] {
  if (hasOwnName(run)) return [run.title, ""];
  const more = `${run.preset}, seed ${String(run.seed)}`;
  return [describeExperiment(run).slice(0, -`, ${more}`.length), more];
}

function hasOwnName({ title, domain, condition, preset, seed }: Named): boolean {
  return title !== `${domain}, ${condition}, ${preset}, seed ${String(seed)}`;
}
