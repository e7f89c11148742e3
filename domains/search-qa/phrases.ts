/**
 * Phrase bank: texts that may stand in the constants of h0. Some name the tool, some do not; which helps which weights is
 * for the search to find out.
 */
import type { PhraseBank } from "../../src/rollout/domain.ts";

/** Phrases by constant; `{question}` and `{results}` are filled in by the harness. */
export const PHRASES: PhraseBank = {
  SYSTEM_PROMPT: [
    "You are a careful assistant.",
    "You answer questions.",
    "Keep your replies short.",
    "You can search: write <search>query</search>.",
    "You do not know the facts. Search for them with <search>query</search>.",
    "Always search before you answer. Write the query in <search> and </search>.",
    "Search first with <search>...</search>, then answer.",
    "Look up every fact: <search>query</search>.",
    "Use <search>query</search> to look things up, as often as you need. Put the final answer in <answer> and </answer>.",
    "If you lack knowledge, call a search engine by <search>query</search> and it will return the top results between <information> and </information>.",
  ],
  USER_PROMPT: [
    "{question}\nAnswer with <answer>...</answer>.",
    "Question: {question}\nPut the final answer inside <answer> and </answer>.",
    "Answer the given question. {question}\nIf you know the answer, provide it inside <answer> and </answer>, without detailed explanations.",
    "{question}\nPut the answer in <answer> and </answer>.",
    "You can search: write <search>query</search>.\nQuestion: {question}\nAnswer inside <answer></answer>.",
    "{question}\nSearch first with <search>...</search>, then answer with <answer>...</answer>.",
    "Answer this question: {question}\nAlways search before you answer. Write the query in <search> and </search>. Reply with <answer>your answer</answer>.",
    "Write <search>name</search> to find passages.\n{question}\nFinish with <answer>text</answer>.",
  ],
  OBSERVATION: [
    "{results}",
    "<information>\n{results}\n</information>\nGive the answer as <answer>...</answer> or search again.",
    "<information>\n{results}\n</information>\nNow answer in <answer>.",
    "<information>\n{results}\n</information>\nSearch again if the answer is not here.",
    "<information>\n{results}\n</information>\nIf this is enough, answer with <answer>text</answer>.",
  ],
  NUDGE: [
    "Search for it with <search>query</search>.",
    "You did not search. Write <search>query</search>.",
    "That is wrong. Search again.",
    "Use the search tool.",
    "Put the answer in <answer> and </answer>.",
    "No <answer> was found. Answer with <answer>...</answer>.",
    "Give the answer as <answer>...</answer> or search again.",
  ],
};
