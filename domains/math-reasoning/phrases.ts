/**
 * Phrase bank: texts that may stand in the constants of h0. Some name the tool, some do not; some ask for a box, some only
 * for care. Which of them helps which weights is for the search to find out.
 */
import type { PhraseBank } from "../../src/rollout/domain.ts";

/** Phrases by constant; `{question}` and `{output}` are filled in by the harness. */
export const PHRASES: PhraseBank = {
  SYSTEM_PROMPT: [
    "You are a careful assistant.",
    "You solve maths problems.",
    "Work carefully and keep your replies short.",
    "You can run JavaScript: write <code>...</code>.",
    "Write <code>print(expression)</code> to compute; you get the output back.",
    "Never compute in your head. Write <code>print(...)</code> and wait for the output.",
    "First write code in <code></code>, then answer in \\boxed{}.",
    "Use <code>print(...)</code> for every calculation and put the final answer in \\boxed{}.",
    "A JavaScript interpreter runs what you write in <code> and </code>. Use it before you answer.",
    "You solve maths problems with code. Write one line: <code>print(expression)</code>.",
  ],
  USER_PROMPT: [
    "{question} Put the final answer in \\boxed{}.",
    "{question}\nAnswer with \\boxed{}.",
    "Question: {question}\nPut your final answer in \\boxed{}.",
    "Solve this problem. {question}\nFinish with \\boxed{number}.",
    "{question}\nUse <code>print(...)</code> to compute. Put the final answer in \\boxed{}.",
    "{question}\nFirst write code in <code></code>, then give the answer in \\boxed{}.",
    "Use <code>print(expression)</code> and wait for the output.\n{question}\nThe final answer must be in \\boxed{}.",
    "Problem: {question}\nRun JavaScript in <code> and </code>. Then answer with \\boxed{}.",
    "{question}\nDo not compute in your head: use <code>print(expression)</code>. Put the answer in \\boxed{}.",
    "{question}\nPlease reason step by step, and put your final answer within \\boxed{}.",
  ],
  FEEDBACK: [
    "Output:\n{output}",
    "Result: {output}",
    "<output>{output}</output>",
    "Output: {output}\nPut the final answer in \\boxed{}.",
    "Output: {output}\nNow write the answer in \\boxed{}.",
    "The code printed {output}. Answer with \\boxed{}.",
    "Output: {output}\nGive only the boxed answer.",
    "Output: {output}\nIf this is an error, write the code again. If not, answer with \\boxed{}.",
  ],
  NUDGE: [
    "Put the final answer in \\boxed{}.",
    "Your reply has no \\boxed{}. Answer with \\boxed{number}.",
    "Use <code>print(...)</code> to compute it.",
    "No code was found. Write <code>print(expression)</code>.",
    "Please check your answer with <code>print(...)</code>.",
    "Compute it with the tool: <code>print(expression)</code>. Then answer with \\boxed{}.",
    "Wrong. Use <code> to compute it.",
  ],
};
