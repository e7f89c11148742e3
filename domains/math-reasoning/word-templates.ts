/** Word problems by tier; the templates themselves stand in three files of data. */
import { CHAIN_WORDS } from "./chain-templates.ts";
import { EASY_WORDS } from "./word-templates-easy.ts";
import { HARD_WORDS } from "./word-templates-hard.ts";
import { STANDARD_WORDS } from "./word-templates-standard.ts";
import type { TemplateTable } from "./template.ts";

/** Word problems by tier. */
export const WORD_TEMPLATES: TemplateTable = {
  easy: EASY_WORDS,
  standard: STANDARD_WORDS,
  hard: HARD_WORDS,
  chain: [...HARD_WORDS, ...CHAIN_WORDS],
};
