import type { FunctionVariant } from "../../src/rollout/domain.ts";
/** Function variants. */
export const VARIANTS: readonly FunctionVariant[] = [];
