import type { FunctionVariant } from "../../src/rollout/domain.ts";
/** Variants. */
export const VARIANTS: readonly FunctionVariant[] = [];
