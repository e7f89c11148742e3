/**
 * The conditions of the comparison (WHALE, arXiv 2609.00196): one loop with parts switched off or restricted, as a table.
 *
 * `fst` is the baseline as the WHALE paper runs it: the same alternation, but a candidate may differ from h0 only in its
 * prompt constants. `fst-native` is the published Fast-Slow Training algorithm (arXiv 2605.12484): a population of prompts,
 * found by GEPA (arXiv 2507.19457) on the coming training batches, with RSFT in place of its CISPO.
 */

/** Names on the command line. */
export const CONDITIONS = [
  "weight-only",
  "harness-only",
  "stagewise",
  "fst",
  "fst-native",
  "whale",
  "adaptive",
] as const;
/** One of `CONDITIONS`. */
export type ConditionName = (typeof CONDITIONS)[number];

/**
 * How phases follow each other: in turns, weights first; once each with a single switch; or in turns with the search for
 * a population of prompts first.
 */
export const PHASE_ORDERS = ["alternate", "stagewise", "fast-slow"] as const;
/** One of `PHASE_ORDERS`. */
export type PhaseOrder = (typeof PHASE_ORDERS)[number];

/** What a condition switches on. */
export type Condition = {
  /** One line for people. */
  readonly title: string;
  /** Whether weights are trained. */
  readonly weights: boolean;
  /** Whether the harness is searched. */
  readonly harness: boolean;
  readonly order: PhaseOrder;
  /** Whether phases end by patience instead of a fixed length. */
  readonly adaptive: boolean;
  /** Whether candidates may change prompt constants only. */
  readonly promptOnly: boolean;
};

const WHALE: Condition = {
  title: "weights and harness in turns, fixed phase lengths",
  weights: true,
  harness: true,
  order: "alternate",
  adaptive: false,
  promptOnly: false,
};

/** The table. */
export const CONDITION_TABLE: Readonly<Record<ConditionName, Condition>> = {
  "weight-only": { ...WHALE, title: "weights trained under the first harness", harness: false },
  "harness-only": { ...WHALE, title: "harness searched for the untrained weights", weights: false },
  stagewise: { ...WHALE, title: "one long weight phase, then one long harness phase", order: "stagewise" },
  fst: { ...WHALE, title: "as whale, but only the prompt text may change", promptOnly: true },
  "fst-native": {
    ...WHALE,
    title: "a population of prompts searched on the coming batches, then weights trained under all of it",
    order: "fast-slow",
    promptOnly: true,
  },
  whale: WHALE,
  adaptive: { ...WHALE, title: "as whale, but each phase ends by its own patience", adaptive: true },
};
