/** Difficulty tiers of the toy: how many passages compete, whether facts are spread over several, how many hops. */

/** What makes a tier. */
export type TierSettings = {
  /** Families (countries with what belongs to them, elements) in one world. */
  readonly families: number;
  /** Whether an entity's facts stand in several passages with similar titles. */
  readonly isSplit: boolean;
  /** Share of questions of two hops, in [0, 1). */
  readonly twoHops: number;
};

/** Tiers, easiest first. */
export const TIERS = ["plain", "similar", "linked", "far"] as const;
/** One of `TIERS`. */
export type Tier = (typeof TIERS)[number];

/** What makes each tier. */
export const TIER_SETTINGS: Readonly<Record<Tier, TierSettings>> = {
  plain: { families: 12, isSplit: false, twoHops: 0 },
  similar: { families: 24, isSplit: true, twoHops: 0 },
  linked: { families: 24, isSplit: true, twoHops: 0.1 },
  far: { families: 36, isSplit: true, twoHops: 0.6 },
};

/** Tier where none is asked for. */
export const DEFAULT_TIER: Tier = "linked";
