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

const VERBS = ["Put", "Write", "Give", "State", "Place", "Return", "Provide", "Show"];
const OBJECTS = [
  "the answer",
  "your answer",
  "the final answer",
  "your final answer",
  "the result",
  "the final result",
];
const TAG_PLACES = [
  "in <answer></answer>",
  "in <answer> and </answer>",
  "inside <answer>...</answer>",
  "between <answer> and </answer>",
  "within <answer> tags",
  "as <answer>answer</answer>",
  "in the form <answer>text</answer>",
];
const BOX_PLACES = [
  "in \\boxed{}",
  "inside \\boxed{}",
  "within \\boxed{}",
  "as \\boxed{answer}",
  "as \\boxed{number}",
  "in the form \\boxed{...}",
  "in a box: \\boxed{}",
  "in LaTeX as \\boxed{}",
];
const ENDS = [".", ".", ".", "", " and nothing else.", " at the end.", ", please.", " only."];

function composeRequest(draw: Draw, places: readonly string[]): string {
  const request = `${draw.pick(VERBS)} ${draw.pick(OBJECTS)} ${draw.pick(places)}${draw.pick(ENDS)}`;
  return draw.chance(0.12)
    ? `${draw.pick(["Please", "Then", "At the end,", "Now"])} ${request.charAt(0).toLowerCase()}${request.slice(1)}`
    : request;
}

/** A request for the `<answer>` tag. */
export function drawAnswerTagRequest(draw: Draw): string {
  return draw.chance(0.5) ? draw.pick(ANSWER_TAG_REQUESTS) : composeRequest(draw, TAG_PLACES);
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
  return draw.chance(0.5) ? draw.pick(BOX_REQUESTS) : composeRequest(draw, BOX_PLACES);
}

const TOOL_OPENERS = [
  "Use",
  "You can use",
  "You may use",
  "Always use",
  "First use",
  "Call",
  "Try",
  "Work with",
  "Answer only after using",
];

/** A composed sentence that names a tool by its tag, such as `Use <code>...</code> to compute.` */
export function composeToolPhrase(draw: Draw, forms: readonly string[], purposes: readonly string[]): string {
  return `${draw.pick(TOOL_OPENERS)} ${draw.pick(forms)}${draw.pick(purposes)}`;
}
