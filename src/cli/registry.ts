/** The one place that knows domains and models by name. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chessPuzzles } from "../../domains/chess-puzzles/domain.ts";
import { mathReasoning } from "../../domains/math-reasoning/domain.ts";
import { searchQa } from "../../domains/search-qa/domain.ts";
import type { Domain } from "../rollout/domain.ts";
import { unknownName } from "./usage.ts";

const DOMAINS: readonly Domain[] = [mathReasoning, chessPuzzles, searchQa];

/** Names of all domains. */
export const DOMAIN_NAMES: readonly string[] = DOMAINS.map(({ name }) => name);

/** Models that ship with Spyhop, as folders of `models/`. */
const MODEL_NAMES: readonly string[] = ["tiny"];

/**
 * The domain called `name`.
 * @throws {UsageError} If there is none.
 */
export function findDomain(name: string): Domain {
  const domain = DOMAINS.find((known) => known.name === name);
  if (domain === undefined) throw unknownName("domain", name, DOMAIN_NAMES);
  return domain;
}

/**
 * The folder of the model `name`: one of ours, or the path of a Hugging Face folder.
 * @throws {UsageError} If it is neither.
 */
export function findModelFolder(name: string): string {
  if (MODEL_NAMES.includes(name)) return fileURLToPath(new URL(`../../models/${name}`, import.meta.url));
  const looksLikePath = /[/\\.]/.test(name) || existsSync(name);
  if (!looksLikePath) throw unknownName("model", name, MODEL_NAMES);
  return name;
}
