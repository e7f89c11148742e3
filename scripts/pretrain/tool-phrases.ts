/**
 * Prompt phrases that several families share: personas, and how a text asks for one answer form.
 *
 * Variety matters more than taste: a small model obeys the phrases it has met, and the search over harnesses will try
 * others, so each instruction appears in many wordings and places.
 */
import type { Draw } from "./draw.ts";

const PERSONAS = [
  "You are a helpful assistant.",
  "You are a careful assistant.",
  "You are a precise and helpful assistant.",
  "You are an expert.",
  "You answer questions.",
  "Be brief.",
  "Keep your replies short.",
  "Answer the user.",
  "Do not explain.",
  "Work carefully.",
  "Think before you answer.",
  "You are a small language model in a test.",
  "Follow the instructions exactly.",
  "You solve tasks with tools.",
  "Take care to follow the format.",
];

/** A line about who the assistant is, or nothing. */
export function drawPersona(draw: Draw): string {
  return draw.chance(0.7) ? draw.pick(PERSONAS) : "";
}

const ANSWER_TAG_REQUESTS = [
  "Put the answer in <answer> and </answer>.",
  "Put the final answer inside <answer> and </answer>.",
  "Answer inside <answer></answer>.",
  "Answer with <answer>...</answer>.",
  "Give the answer as <answer>...</answer>.",
  "Write the final answer between <answer> and </answer>.",
  "Reply with <answer>your answer</answer>.",
  "When you know the answer, write <answer>answer</answer>.",
  "Finish with <answer>text</answer>.",
  "Use <answer> tags for the final answer.",
  "The final answer must be in <answer> tags.",
  "End your reply with the answer in <answer> tags.",
  "If you know the answer, provide it inside <answer> and </answer>, without detailed explanations.",
  "Wrap your answer in <answer> tags, for example <answer>Oslo</answer>.",
  "Only the text in <answer> and </answer> counts.",
];

/** A request for the `<answer>` tag. */
export function drawAnswerTagRequest(draw: Draw): string {
  return draw.pick(ANSWER_TAG_REQUESTS);
}

const BOX_REQUESTS = [
  "Put the final answer in \\boxed{}.",
  "Put your final answer in \\boxed{}.",
  "Put the answer in \\boxed{}.",
  "Give the final answer in \\boxed{}.",
  "Write the final answer as \\boxed{answer}.",
  "Answer with \\boxed{}.",
  "The final answer must be in \\boxed{}.",
  "Box the final answer: \\boxed{number}.",
  "Finish with \\boxed{number}.",
  "End with the answer inside \\boxed{}.",
  "Please reason step by step, and put your final answer within \\boxed{}.",
  "Reply with the number in \\boxed{}.",
  "Only a boxed answer counts, such as \\boxed{12}.",
  "State the result in the form \\boxed{result}.",
  "Present the answer in LaTeX: \\boxed{}.",
];

/** A request for `\boxed{}`. */
export function drawBoxRequest(draw: Draw): string {
  return draw.pick(BOX_REQUESTS);
}
